/** Downloads a file of a repository; resumes partial downloads and verifies the content. */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { followSignal } from '../cancellation.ts';
import { SvcError, toSvcError } from '../errors.ts';
import { diskFull, makeFolder } from '../files/file-system.ts';
import { broken, type HubRequest, type Refusal, unreachable } from './hub-request.ts';
import type { HubName } from './hubs.ts';
import type { ContentHash } from './listing.ts';
import { defaultPatience, type Patience, retrying } from './retry.ts';

export interface Download {
  readonly url: string;
  /** Path of the complete, verified file. */
  readonly path: string;
  /** Name of the file in messages. */
  readonly subject: string;
  /** Bytes. */
  readonly size: number;
  readonly hash: ContentHash;
  readonly request: HubRequest;
  /** For messages. */
  readonly hub: HubName;
  readonly signal?: AbortSignal | undefined;
  readonly patience?: Patience | undefined;
  /** Called with the bytes received so far, which decrease if they turn out to be wrong. */
  readonly onProgress?: ((received: number) => void) | undefined;
}

/** Minimum bytes per second of a live connection: a server may send a byte now and then forever. */
const slowestRate = 1024;
/** Bytes that count as progress, to limit retries if a server hangs up after every few bytes. */
const stepBytes = 64 * 1024;

/** The received bytes, all of them in the file and in the hash. */
type Arrived = { readonly file: FileHandle; received: number; hash: Hash };

/** Path of the partial file. Its name includes the hash, so that only the same version is resumed. */
export const partPath = (path: string, { digest }: ContentHash): string => `${path}.${digest.slice(0, 12)}.part`;

/** Downloads a file. On failure only the `.part` file is left, which the next call resumes. @throws SvcError */
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
    // Wrong content cannot be resumed.
    if (isWrongContent(error)) await rm(part, { force: true });
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
    // The partial file was damaged, perhaps by a system crash.
    await startAnew(arrived, download);
    digest = await complete();
  }
  if (digest !== hash.digest) throw wrongContent(`${subject} has ${hash.algorithm} ${digest}, expected ${hash.digest}`);
}

const wrongContents = new WeakSet<SvcError>();
/** Whether a file is another than listed. */
export const isWrongContent = (error: unknown): boolean => error instanceof SvcError && wrongContents.has(error);

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

/** Requests the missing bytes once. */
async function receive(arrived: Arrived, download: Download, { stallTimeout }: Patience): Promise<void> {
  const { size, subject, request, hub, url, signal } = download;
  if (arrived.received === size) return;
  const lifetime = followSignal(signal);
  const seconds = stallTimeout / 1000;
  const stall = (): void =>
    lifetime.end(broken(`the download of ${subject} stalled: less than 1 KiB/s for ${seconds} s`, {}));
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
        if (arrived.received + chunk.length > size)
          throw wrongContent(`${subject} has more than the expected ${size} bytes`);
        await append(arrived.file, chunk, download);
        arrived.hash.update(chunk);
        arrived.received += chunk.length;
        download.onProgress?.(arrived.received);
      }
    } catch (error) {
      throw unreachable(error, { hub, origin: new URL(url).origin, subject, signal: lifetime.signal });
    }
  } catch (error) {
    // The server does not have this range.
    if (error instanceof SvcError && (error.cause as Refusal | undefined)?.status === 416) {
      await startAnew(arrived, download);
    }
    throw error;
  } finally {
    clearTimeout(watchdog);
    lifetime.detach();
    // Closes the connection if the response was not read completely.
    lifetime.end();
  }
  if (arrived.received < size) {
    throw broken(`the download of ${subject} ended after ${arrived.received} of ${size} bytes`, {
      error: 'end of the response',
    });
  }
}

/** Appends to the file; failures are disk errors, not network errors. */
async function append(file: FileHandle, chunk: Uint8Array, { path, subject }: Download): Promise<void> {
  try {
    await file.appendFile(chunk);
  } catch (error) {
    throw toSvcError(diskFull(error, dirname(path), subject));
  }
}

/** Checks the ETag, which is the hash of the content, before downloading gigabytes. */
function requireSameContent(etag: string, { hash, subject }: Download): void {
  const [, stated] = /^"?([0-9a-f]{40}|[0-9a-f]{64})"?$/.exec(etag) ?? [];
  if (stated === undefined || stated.length !== hash.digest.length || stated === hash.digest) return;
  throw wrongContent(`${subject} has ETag ${stated}, expected ${hash.algorithm} ${hash.digest}`);
}

/** Makes sure that the response continues the partial file, or starts over. */
async function align(response: Response, arrived: Arrived, download: Download): Promise<void> {
  const { size, subject } = download;
  const problem = alignmentProblem(response, arrived.received, size);
  if (problem !== undefined) {
    await response.body?.cancel();
    await startAnew(arrived, download);
    throw broken(`unexpected response for ${subject}: ${problem}`, {});
  }
  // A server without range support sends the whole file.
  if (response.status === 200 && arrived.received > 0) await startAnew(arrived, download);
}

function alignmentProblem({ status, headers }: Response, received: number, size: number): string | undefined {
  if (status === 206) {
    const range = headers.get('content-range') ?? 'no Content-Range';
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(range) ?? [];
    if (Number(start) === received && (total === '*' || Number(total) === size)) return undefined;
    return `requested bytes ${received}-${size - 1}/${size}, got ${range}`;
  }
  const length = headers.get('content-length');
  if (length === null || headers.has('content-encoding') || Number(length) === size) return undefined;
  return `it has ${length} bytes, expected ${size}`;
}
