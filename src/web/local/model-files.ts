/** The files of a model at an address: downloaded, checked against the manifest, and kept by their hash. */
import { manifestName, parseManifest } from '../../engine/backends/onnx/manifest.ts';
import { messageOf, SvcError } from '../../errors.ts';
import type { FileStore } from './file-store.ts';

export interface Received {
  /** Bytes of all files of the model that are here, and of all that there are. */
  readonly done: number;
  readonly total: number;
  /** Whether they came over the network. */
  readonly from: 'network' | 'store';
}

export interface ModelFilesOptions {
  /** Where whole files are kept; nowhere when left out. */
  readonly store?: FileStore | undefined;
  readonly onReceived?: ((received: Received) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof fetch;
}

export type ModelFiles = Awaited<ReturnType<typeof openModelFiles>>;

/**
 * Reads the manifest of the folder; its files on demand.
 *
 * @param address of the folder, with a slash at the end
 * @throws SvcError as `read`
 */
export async function openModelFiles(address: string, options: ModelFilesOptions = {}) {
  const { store, onReceived, signal } = options;
  const request = options.fetch ?? fetch;
  const text = await (await get(request, address + manifestName, 'no-cache', signal)).text();
  const manifest = parseManifest(text, manifestName);
  const { files } = manifest;
  if (files === undefined) throw incomplete("has no hashes of the model's files");
  const total = Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
  /** Sizes of the files that are here; one may be read again. */
  const here = new Map<string, number>();
  const arrive = (file: string, bytes: number, from: Received['from']): void => {
    here.set(file, bytes);
    onReceived?.({ done: [...here.values()].reduce((sum, length) => sum + length, 0), total, from });
  };

  /** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID for other bytes than the manifest says, NETWORK, CANCELLED */
  async function read(file: string): Promise<Uint8Array<ArrayBuffer>> {
    if (file === manifestName) return new TextEncoder().encode(text);
    const expected = files?.[file];
    if (expected === undefined) throw incomplete(`does not list ${file}`);
    const { bytes: size, sha256 } = expected;
    const kept = await store?.get(sha256);
    if (kept?.length === size && (await digest(kept)) === sha256) {
      arrive(file, size, 'store');
      return kept;
    }
    const response = await get(request, address + file, 'no-store', signal);
    const bytes = new Uint8Array(size);
    let length = 0;
    for await (const part of chunksOf(response, file, signal)) {
      if (length + part.length <= size) bytes.set(part, length);
      length += part.length;
      if (length > size) break;
      arrive(file, length, 'network');
    }
    if (length !== size) throw damaged(file, length < size ? `${length} of ${size} bytes` : `more than ${size} bytes`);
    if ((await digest(bytes)) !== sha256) throw damaged(file, 'wrong hash');
    await store?.put(sha256, bytes);
    return bytes;
  }

  return {
    address,
    manifest,
    read,
    readText: async (file: string): Promise<string> => new TextDecoder().decode(await read(file)),
  };
}

const incomplete = (problem: string): SvcError =>
  new SvcError('MODEL_INVALID', `${manifestName} ${problem}; export the model again with svc export`);

const damaged = (file: string, problem: string): SvcError =>
  new SvcError('MODEL_INVALID', `damaged model file ${file}: ${problem}; load the model again`);

async function get(
  request: typeof fetch,
  address: string,
  cache: RequestCache,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const response = await request(address, { cache, ...(signal && { signal }) }).catch((error: unknown) => {
    throw unreachable(address, error, signal);
  });
  if (response.ok) return response;
  throw new SvcError('MODEL_NOT_FOUND', `no model file at ${address} (status ${response.status})`);
}

async function* chunksOf(
  { body }: Response,
  file: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  for (;;) {
    const part = await reader?.read().catch((error: unknown) => {
      throw unreachable(file, error, signal);
    });
    if (part?.value === undefined) return;
    yield part.value;
  }
}

function unreachable(what: string, cause: unknown, signal: AbortSignal | undefined): SvcError {
  if (signal?.aborted) return new SvcError('CANCELLED', 'canceled', { cause });
  return new SvcError('NETWORK', `cannot download ${what}: ${messageOf(cause)}`, { cause });
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
