/** One file of the hub, downloaded to its place: resumed where it was left, checked while it arrives. */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SvcError, toSvcError } from '../errors.ts';
import { diskFull, makeFolder } from '../files.ts';
import { followSignal } from '../follow-signal.ts';
import { broken, type HubRequest, type Refusal, unreachable } from './hub-request.ts';
import type { ContentHash } from './listing.ts';
import { defaultPatience, type Patience, retrying } from './retry.ts';

export interface Download {
  readonly url: string;
  /** Where the file is once it is complete and its hash is right, not before. */
  readonly path: string;
  /** What messages call the file. */
  readonly subject: string;
  /** Bytes. */
  readonly size: number;
  readonly hash: ContentHash;
  readonly request: HubRequest;
  readonly signal?: AbortSignal | undefined;
  readonly patience?: Patience | undefined;
  /** Bytes of the file that are there; falls when they turn out to be wrong. */
  readonly onProgress?: ((received: number) => void) | undefined;
}

/** Bytes a second below which a connection counts as lost: a server that gives a byte now and then never ends. */
const slowestRate = 1024;
/** Bytes that count as progress, so that a server which hangs up after every few is not asked a hundred times. */
const stepBytes = 64 * 1024;

/** What has arrived: `received` bytes, all in the file and in the hash. */
interface Arrived {
  readonly file: FileHandle;
  received: number;
  hash: Hash;
}

/** The unfinished file. Named by its content, so that what is resumed never comes from another version. */
export const partPath = (path: string, { digest }: ContentHash): string => `${path}.${digest.slice(0, 12)}.part`;

/**
 * Only the `.part` file is left when it fails; the next call goes on from there.
 *
 * @throws SvcError NETWORK (also a wrong hash), IO (disk), UNAUTHORIZED, FORBIDDEN, MODEL_NOT_FOUND, CANCELLED
 */
export async function downloadFile(download: Download): Promise<void> {
  const { path, hash, subject } = download;
  const part = partPath(path, hash);
  await makeFolder(dirname(path));
  try {
    const file = await open(part, 'a+');
    try {
      await fill(file, download);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    // Nothing of it is of use.
    if (error instanceof SvcError && isWrongContent(error)) await rm(part, { force: true });
    throw diskFull(error, dirname(path), subject);
  }
}

async function fill(file: FileHandle, download: Download): Promise<void> {
  const { hash, subject, signal, patience = defaultPatience, onProgress } = download;
  const arrived = await resume(file, download);
  const resumed = arrived.received;
  onProgress?.(arrived.received);
  const complete = async (): Promise<string> => {
    await retrying(
      () => receive(arrived, download, patience),
      patience,
      signal,
      () => Math.floor((arrived.received - resumed) / stepBytes),
    );
    return arrived.hash.digest('hex');
  };
  let digest = await complete();
  if (digest !== hash.digest && resumed > 0) {
    // The part was damaged before, perhaps by a crash of the machine.
    await startAnew(arrived, download);
    digest = await complete();
  }
  if (digest !== hash.digest)
    throw wrongContent(`expected ${hash.algorithm} ${hash.digest} for ${subject}, received ${digest}`);
}

const wrongContents = new WeakSet<SvcError>();
const isWrongContent = (error: SvcError): boolean => wrongContents.has(error);

function wrongContent(message: string): SvcError {
  const error = broken(message, { permanent: true });
  wrongContents.add(error);
  return error;
}

function emptyHash({ hash, size }: Download): Hash {
  if (hash.algorithm === 'sha256') return createHash('sha256');
  return createHash('sha1').update(`blob ${size}\0`);
}

async function resume(file: FileHandle, download: Download): Promise<Arrived> {
  const hash = emptyHash(download);
  const { size: found } = await file.stat();
  const arrived: Arrived = { file, received: 0, hash };
  if (found > download.size) await file.truncate(0);
  else if (found > 0) {
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false, signal: download.signal })) {
      hash.update(chunk);
      arrived.received += chunk.length;
    }
  }
  return arrived;
}

async function startAnew(arrived: Arrived, download: Download): Promise<void> {
  await arrived.file.truncate(0);
  arrived.received = 0;
  arrived.hash = emptyHash(download);
  download.onProgress?.(0);
}

/** One request for what is missing. */
async function receive(arrived: Arrived, download: Download, { stallTimeout }: Patience): Promise<void> {
  const { size, subject, request, url, signal } = download;
  if (arrived.received === size) return;
  const lifetime = followSignal(signal);
  const seconds = stallTimeout / 1000;
  const stall = (): void =>
    lifetime.end(broken(`download of ${subject} stalled: less than 1 KiB/s for ${seconds} s`, {}));
  const watchdog = setTimeout(stall, stallTimeout);
  let unwatched = 0;
  try {
    const headers: Record<string, string> = { 'accept-encoding': 'identity' };
    if (arrived.received > 0) headers.range = `bytes=${arrived.received}-`;
    const onEtag = (etag: string) => requireSameContent(etag, download);
    const response = await request(url, subject, { headers, signal: lifetime.signal, onEtag });
    await align(response, arrived, download);
    try {
      for await (const chunk of response.body ?? []) {
        unwatched += chunk.length;
        if (unwatched >= slowestRate * seconds) {
          watchdog.refresh();
          unwatched = 0;
        }
        if (arrived.received + chunk.length > size) {
          throw wrongContent(`expected ${size} bytes for ${subject}, received more`);
        }
        await append(arrived.file, chunk, download);
        arrived.hash.update(chunk);
        arrived.received += chunk.length;
        download.onProgress?.(arrived.received);
      }
    } catch (error) {
      throw unreachable(error, new URL(url).origin, subject, lifetime.signal);
    }
  } catch (error) {
    // A range that the server does not have.
    if (error instanceof SvcError && (error.cause as Refusal | undefined)?.status === 416) {
      await startAnew(arrived, download);
    }
    throw error;
  } finally {
    clearTimeout(watchdog);
    lifetime.detach();
    // Closes the connection of an answer that was not read to its end.
    lifetime.end();
  }
  if (arrived.received < size) {
    throw broken(`expected ${size} bytes for ${subject}, received ${arrived.received}`, { error: 'end of the answer' });
  }
}

/** A failure here is the disk's, not the network's. */
async function append(file: FileHandle, chunk: Uint8Array, { path, subject }: Download): Promise<void> {
  try {
    await file.appendFile(chunk);
  } catch (error) {
    throw toSvcError(diskFull(error, dirname(path), subject));
  }
}

/** The hub's ETag is the hash of the content. Found out before gigabytes are loaded, not after. */
function requireSameContent(etag: string, { hash, subject }: Download): void {
  const [, told] = /^"?([0-9a-f]{40}|[0-9a-f]{64})"?$/.exec(etag) ?? [];
  if (told === undefined || told.length !== hash.digest.length || told === hash.digest) return;
  throw wrongContent(`expected ${hash.algorithm} ${hash.digest} for ${subject}, received the ETag ${told}`);
}

/** Makes the answer's first byte the next one of the file, or the file's first. */
async function align(response: Response, arrived: Arrived, download: Download): Promise<void> {
  const { size, subject } = download;
  const problem = alignmentProblem(response, arrived.received, size);
  if (problem !== undefined) {
    await response.body?.cancel();
    await startAnew(arrived, download);
    throw broken(`expected ${problem.expected} for ${subject}, received ${problem.received}`, {});
  }
  // A server without ranges sends all of it again.
  if (response.status === 200 && arrived.received > 0) await startAnew(arrived, download);
}

function alignmentProblem(
  { status, headers }: Response,
  received: number,
  size: number,
): { readonly expected: string; readonly received: string } | undefined {
  if (status === 206) {
    const range = headers.get('content-range') ?? 'no Content-Range';
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(range) ?? [];
    if (Number(start) === received && (total === '*' || Number(total) === size)) return undefined;
    return { expected: `bytes ${received}-${size - 1}/${size}`, received: range };
  }
  const length = headers.get('content-length');
  if (length === null || headers.has('content-encoding') || Number(length) === size) return undefined;
  return { expected: `${size} bytes`, received: length };
}
