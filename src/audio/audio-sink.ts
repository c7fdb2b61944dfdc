/** Where encoded audio goes: a file that is there whole or not at all, or a stream. */

import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { SvcError } from '../errors.ts';
import { reasonOf } from '../files.ts';
import type { AudioEncoder, OpenEncoder, WriteBytes } from './audio-encoder.ts';

/** Where audio goes, piece by piece. Calls are awaited one after the other; after `finish` or `abort` there are none. */
export interface AudioSink {
  write(samples: Float32Array): Promise<void>;
  /** Everything is written and, for a file, on the disk under its name. */
  finish(): Promise<void>;
  /** Nothing is left of a file. Never rejects. */
  abort(): Promise<void>;
}

/**
 * A file that appears under `path` only when it is complete: it is written under a temporary name beside it.
 * A path that is a pipe or a device is streamed to instead.
 *
 * @throws SvcError INVALID_REQUEST at once when the folder doesn't exist or can't be written to, or `path` is
 *   a folder; IO from `write` and `finish` when writing fails, after which nothing is left.
 */
export async function createFileSink(path: string, openEncoder: OpenEncoder): Promise<AudioSink> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory()) throw unwritable(path, 'a folder');
  if (existing !== undefined && !existing.isFile()) return createDeviceSink(path, openEncoder);
  // Through a link, so that the file it points to is replaced and the link stays.
  const target = existing === undefined ? path : await realpath(path);
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  let handle: FileHandle;
  try {
    handle = await open(temporary, 'wx');
  } catch (error) {
    throw await creationFailure(path, dirname(target), error);
  }
  return encodeToFile(handle, temporary, target, openEncoder);
}

async function encodeToFile(
  handle: FileHandle,
  temporary: string,
  target: string,
  openEncoder: OpenEncoder,
): Promise<AudioSink> {
  let open = true;
  let encoder: AudioEncoder | undefined;
  const abort = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await encoder?.close();
    await handle.close().catch(ignore);
    await rm(temporary, { force: true }).catch(ignore);
  };
  /** A failure leaves nothing behind. */
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      await abort();
      throw error;
    }
  };
  const onDisk = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      throw new SvcError('IO', cannotWrite(target, error), { cause: error });
    }
  };
  encoder = await attempt(() => openEncoder((bytes) => onDisk(() => handle.writeFile(bytes))));
  const { write, finish } = encoder;
  return {
    write: (samples) => attempt(() => write(samples)),
    finish: () =>
      attempt(async () => {
        const patches = await finish();
        await onDisk(async () => {
          for (const { bytes, position } of patches) await handle.write(bytes, 0, bytes.length, position);
          await handle.sync();
          await handle.close();
          await rename(temporary, target);
        });
        open = false;
      }),
    abort,
  };
}

/**
 * Writes to a stream that stays the caller's to end, such as standard output or an HTTP response. Each call
 * waits until the stream has passed its bytes on. Sizes that a header wants are unknown.
 *
 * Calls reject with CANCELLED when the reader has gone, with IO for other failures of the stream.
 */
export function createStreamSink(stream: NodeJS.WritableStream, openEncoder: OpenEncoder): AudioSink {
  // Opened at once, so that a codec loads while the first audio is made; a failure shows in the first call.
  const opening = openEncoder(createStreamWriter(stream));
  opening.catch(ignore);
  return {
    write: async (samples) => (await opening).write(samples),
    async finish() {
      await (await opening).finish();
    },
    abort: () => opening.then((encoder) => encoder.close(), ignore),
  };
}

function createStreamWriter(stream: NodeJS.WritableStream): WriteBytes {
  let failure: Error | undefined;
  // Stays for good: a reader may go after the last write, and that must not end the process.
  stream.on('error', (error) => {
    failure ??= error;
  });
  return (bytes) =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) return reject(streamFailure(failure));
      if (bytes.length === 0) return resolve();
      const closed = (): void => settle(failure ?? goneError());
      const settle = (error?: Error | null): void => {
        stream.off('close', closed);
        stream.off('error', settle);
        if (error) reject(streamFailure(error));
        else resolve();
      };
      stream.on('close', closed);
      stream.on('error', settle);
      stream.write(bytes, settle);
    });
}

/** A stream of its own to a pipe or device. */
function createDeviceSink(path: string, openEncoder: OpenEncoder): AudioSink {
  const stream = createWriteStream(path);
  const sink = createStreamSink(stream, openEncoder);
  return {
    write: sink.write,
    async finish() {
      await sink.finish();
      stream.end();
      await finished(stream);
    },
    async abort() {
      await sink.abort();
      stream.destroy();
    },
  };
}

const goneCodes = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

const goneError = (): Error =>
  Object.assign(new Error('the stream was closed'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

function streamFailure(error: Error): SvcError {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (goneCodes.has(code)) return new SvcError('CANCELLED', 'the reader of the audio has gone', { cause: error });
  return new SvcError('IO', cannotWrite('the stream', error), { cause: error });
}

const cannotWrite = (target: string, error: unknown): string =>
  `expected to write audio to ${target}, received ${reasonOf(error)}`;

const unwritable = (path: string, received: string, cause?: unknown): SvcError =>
  new SvcError('INVALID_REQUEST', `expected a file in a writable folder for output ${path}, received ${received}`, {
    cause,
  });

async function creationFailure(path: string, folder: string, error: unknown): Promise<SvcError> {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOENT', 'ENOTDIR'].includes(code)) {
    const exists = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    // Linux says the same of a folder such as /proc, in which no file can be made.
    return unwritable(path, `the folder ${folder}, which ${exists ? 'takes no files' : 'does not exist'}`, error);
  }
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return unwritable(path, `the read-only folder ${folder}`, error);
  return new SvcError('IO', cannotWrite(path, error), { cause: error });
}

const ignore = (): void => undefined;
