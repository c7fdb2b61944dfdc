/** Destinations of audio: a file, written completely or not at all, or a stream. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { waitFor } from '../../cancellation.ts';
import { ignore, SvcError } from '../../errors.ts';
import { besidePath } from '../../files/beside.ts';
import { followLinks, reasonOf } from '../../files/file-system.ts';
import { noteTemporary } from '../../files/temporary-files.ts';
import { show } from '../../messages.ts';
import { invalid } from '../../validation.ts';
import { inSlices } from '../slices.ts';
import type { Encoded, Transform } from '../transform.ts';

/** Accepts pieces in order. Await each call before the next; none may follow `finish` or `abort`. */
export interface Sink<Piece> {
  write(piece: Piece): Promise<void>;
  /** Completes the output; a file then exists under its name. */
  finish(): Promise<void>;
  /** Discards the output and removes a partial file. Does nothing after `finish`. Never rejects. */
  abort(): Promise<void>;
}

/** Accepts mono samples. */
export type AudioSink = Sink<Float32Array>;

/** Writes the samples of all events and completes the output; discards it if that fails. */
export async function writeAll<Event extends { readonly samples: Float32Array }>(
  sink: AudioSink,
  events: AsyncIterable<Event>,
  onWritten?: (event: Event) => Promise<void>,
): Promise<void> {
  try {
    for await (const event of events) {
      await sink.write(event.samples);
      await onWritten?.(event);
    }
    await sink.finish();
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** Passes samples through `transform` to `sink`, in slices. A failure discards the output, and fails later calls. */
export function through<Output>(
  transform: Awaitable<Transform<Float32Array, Awaitable<Output>>>,
  sink: Sink<Output>,
): AudioSink {
  const opening = Promise.resolve(transform);
  opening.catch(ignore);
  let failure: { readonly error: unknown } | undefined;
  const abort = async (): Promise<void> => {
    await opening.then(({ close }) => close(), ignore);
    await sink.abort();
  };
  const attempt = async (work: (transform: Awaited<typeof opening>) => Promise<void>): Promise<void> => {
    if (failure !== undefined) throw failure.error;
    try {
      await work(await opening);
    } catch (error) {
      failure = { error };
      await abort();
      throw error;
    }
  };
  return {
    write: (samples) =>
      attempt(({ push }) => inSlices(requireSamples(samples), async (slice) => sink.write(await push(slice)))),
    finish: () =>
      attempt(async ({ flush, close }) => {
        await sink.write(await flush());
        close();
        await sink.finish();
      }),
    abort,
  };
}

/** @throws SvcError INVALID_REQUEST */
export function requireSamples(samples: unknown): Float32Array {
  if (samples instanceof Float32Array) return samples;
  throw invalid('a Float32Array', 'samples', show(samples), { param: 'samples' });
}

type Awaitable<Value> = Value | Promise<Value>;

/**
 * Creates a file that appears under `path` only when complete; until then it has a temporary name in the same folder. A
 * pipe or device is written directly.
 *
 * @throws SvcError INVALID_REQUEST if `path` is a folder or its folder does not exist, IO if that is not writable; `write` and
 *   `finish` reject with IO on write errors
 */
export async function createFileSink(path: string): Promise<Sink<Encoded>> {
  if (typeof path !== 'string' || path === '') throw invalid('a file name', 'path', show(path), { param: 'path' });
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory()) throw unwritable(path, 'it is a folder');
  if (existing !== undefined && !existing.isFile()) return createDeviceSink(path);
  const target = await followLinks(path).catch((error: unknown) => {
    throw unwritable(path, reasonOf(error), error);
  });
  const temporary = besidePath(target, `.${randomBytes(6).toString('hex')}.tmp`, '.');
  const forget = noteTemporary(temporary);
  let handle: FileHandle;
  try {
    handle = await open(temporary, 'wx');
  } catch (error) {
    forget();
    throw await creationFailure(path, dirname(target), error);
  }
  let isOpen = true;
  const bytes = createByteSink(
    (bytes) => handle.writeFile(bytes),
    async (bytes, position) => void (await handle.write(bytes, 0, bytes.length, position)),
  );
  const complete = async (): Promise<void> => {
    await handle.sync();
    // Who may read a file stays.
    if (existing !== undefined) await handle.chmod(existing.mode & 0o7777);
    await handle.close();
    await rename(temporary, target);
    forget();
    isOpen = false;
  };
  const onDisk = (work: Promise<void>): Promise<void> =>
    work.catch((cause: unknown) => Promise.reject(failure('IO', target, reasonOf(cause), cause)));
  return {
    write: (encoded) => onDisk(bytes.write(encoded)),
    finish: () => onDisk(complete()),
    async abort() {
      if (!isOpen) return;
      isOpen = false;
      await handle.close().catch(ignore);
      await rm(temporary, { force: true }).catch(ignore);
      forget();
    },
  };
}

/** Accepts bytes in order; resolves when more may follow. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** @param overwrite accepts bytes that replace earlier ones; without it they are dropped */
export function createByteSink(
  append: WriteBytes,
  overwrite?: (bytes: Uint8Array, position: number) => Promise<void>,
): Sink<Encoded> {
  return {
    async write(encoded) {
      for (const { bytes, position } of encoded) {
        if (position !== undefined) await overwrite?.(bytes, position);
        else if (bytes.length > 0) await append(bytes);
      }
    },
    finish: () => Promise.resolve(),
    abort: () => Promise.resolve(),
  };
}

/**
 * Writes to a stream; each call waits until the stream has passed its bytes on.
 *
 * Calls reject with CANCELLED if the reader is gone, with IO for other failures of the stream, and with the reason of
 * `signal`.
 */
export function createStreamWriter(stream: NodeJS.WritableStream, signal?: AbortSignal): WriteBytes {
  if (typeof stream?.write !== 'function') throw invalid('a writable stream', 'stream', show(stream));
  let failure: Error | undefined;
  // Never removed: a reader may go after the last write, which must not end the process.
  stream.on('error', (error) => {
    failure ??= error;
  });
  return (bytes) => {
    let stopListening = (): void => undefined;
    const begin = (resolve: () => void, reject: (reason: unknown) => void): void => {
      if (failure !== undefined) {
        reject(streamFailure(stream, failure));
        return;
      }
      const written = (error?: Error | null): void => (error ? reject(streamFailure(stream, error)) : resolve());
      const closed = (): void => reject(streamFailure(stream, failure ?? goneError()));
      stream.on('close', closed);
      stream.on('error', written);
      stopListening = () => void stream.off('close', closed).off('error', written);
      stream.write(bytes, written);
    };
    return waitFor(signal, begin, () => stopListening());
  };
}

/** Writes to a pipe or device. */
function createDeviceSink(path: string): Sink<Encoded> {
  const stream = createWriteStream(path);
  return {
    ...createByteSink(createStreamWriter(stream)),
    async finish() {
      stream.end();
      await finished(stream);
    },
    async abort() {
      stream.destroy();
    },
  };
}

const goneCodes = new Set([
  'EPIPE',
  'ECONNRESET',
  // A write that had begun when the connection was closed.
  'ECANCELED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

const goneError = (): Error =>
  Object.assign(new Error('the stream was closed'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

function streamFailure(stream: NodeJS.WritableStream, error: Error): SvcError {
  if (error instanceof SvcError) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (goneCodes.has(code)) return new SvcError('CANCELLED', 'the reader of the audio is gone', { cause: error });
  return failure('IO', nameOf(stream), reasonOf(error), error);
}

/** Streams of files have a path, those of the process a descriptor. */
function nameOf(stream: NodeJS.WritableStream & { readonly path?: unknown; readonly fd?: unknown }): string {
  if (typeof stream.path === 'string') return stream.path;
  return stream.fd === 1 ? 'to standard output' : 'to the stream';
}

const failure = (code: 'INVALID_REQUEST' | 'IO', path: string, reason: string, cause?: unknown): SvcError =>
  new SvcError(code, `cannot write ${path}: ${reason}`, { cause });

const unwritable = (path: string, reason: string, cause?: unknown): SvcError =>
  failure('INVALID_REQUEST', path, reason, cause);

async function creationFailure(path: string, folder: string, error: unknown): Promise<SvcError> {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOENT', 'ENOTDIR'].includes(code)) {
    const exists = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    // Linux gives the same error for a folder such as /proc, where files cannot be created.
    if (exists) return failure('IO', path, `the folder ${folder} does not accept files`, error);
    return unwritable(path, `the folder ${folder} does not exist`, error);
  }
  const isDenied = ['EACCES', 'EPERM', 'EROFS'].includes(code);
  return failure('IO', path, isDenied ? `the folder ${folder} is not writable` : reasonOf(error), error);
}
