/**
 * 16-bit mono WAV out, whole or as a stream.
 *
 * A sample becomes `round(sample × 32768)`, halves up, clipped to -32768..32767: the inverse of the division
 * by 32768 that reading does, the same for both signs. Everything goes through `wav-encoder`, block by
 * block or at once, so the same samples give the same bytes whichever way they are written.
 */

import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { encode } from 'wav-encoder';
import { SvcError } from '../errors.ts';

/** Where audio goes, piece by piece. Calls are awaited one after the other; after `finish` or `abort` there are none. */
export interface AudioSink {
  write(samples: Float32Array): Promise<void>;
  /** Everything is written and, for a file, on the disk under its name. */
  finish(): Promise<void>;
  /** Nothing is left of a file. Never rejects. */
  abort(): Promise<void>;
}

const headerBytes = 44;
/** As streaming writers state a size that they don't know yet. */
const unknownSize = 0xffffffff;
const maxDataBytes = unknownSize - headerBytes;

/** Samples in [-1, 1] as a complete file. */
export function encodeWav(samples: Float32Array, sampleRate: number): Uint8Array {
  const options = { bitDepth: 16, float: false, symmetric: true };
  return new Uint8Array(encode.sync({ sampleRate, channelData: [samples] }, options));
}

const encodeData = (samples: Float32Array, sampleRate: number): Uint8Array =>
  encodeWav(samples, sampleRate).subarray(headerBytes);

function header(sampleRate: number, dataBytes: number): Uint8Array {
  const bytes = encodeWav(new Float32Array(0), sampleRate);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, dataBytes === unknownSize ? unknownSize : dataBytes + headerBytes - 8, true);
  view.setUint32(40, dataBytes, true);
  return bytes;
}

/**
 * A file that appears under `path` only when it is complete: it is written under a temporary name beside it.
 * A path that is a pipe or a device is streamed to instead.
 *
 * @throws SvcError INVALID_REQUEST at once when the folder doesn't exist or can't be written to, or `path` is
 *   a folder; IO from `write` and `finish` when writing fails, after which nothing is left.
 */
export async function createWavFile(path: string, sampleRate: number): Promise<AudioSink> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory()) throw unwritable(path, 'a folder');
  if (existing !== undefined && !existing.isFile()) return createDeviceSink(path, sampleRate);
  // Through a link, so that the file it points to is replaced and the link stays.
  const target = existing === undefined ? path : await realpath(path);
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  let handle: FileHandle;
  try {
    handle = await open(temporary, 'wx');
  } catch (error) {
    throw creationFailure(path, dirname(target), error);
  }
  return createFileSink(handle, temporary, target, sampleRate);
}

function createFileSink(handle: FileHandle, temporary: string, target: string, sampleRate: number): AudioSink {
  let dataBytes = 0;
  let started = false;
  let open = true;
  const abort = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await handle.close().catch(ignore);
    await rm(temporary, { force: true }).catch(ignore);
  };
  /** A failed write leaves nothing behind. */
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await abort();
      throw error instanceof SvcError ? error : new SvcError('IO', cannotWrite(target, error), { cause: error });
    }
  };
  return {
    write: (samples) =>
      attempt(async () => {
        if (!started) await handle.writeFile(header(sampleRate, 0));
        started = true;
        const data = encodeData(samples, sampleRate);
        dataBytes += data.length;
        if (dataBytes > maxDataBytes) throw tooLong();
        await handle.writeFile(data);
      }),
    finish: () =>
      attempt(async () => {
        // Also what makes the file of an utterance without samples.
        await handle.write(header(sampleRate, dataBytes), 0, headerBytes, 0);
        await handle.sync();
        await handle.close();
        await rename(temporary, target);
        open = false;
      }),
    abort,
  };
}

/**
 * Writes to a stream that stays the caller's to end, such as standard output or an HTTP response. The header's
 * sizes are unknown (0xFFFFFFFF). Each call waits until the stream has passed its bytes on.
 *
 * Calls reject with CANCELLED when the reader has gone, with IO for other failures of the stream.
 */
export function createWavStream(stream: NodeJS.WritableStream, sampleRate: number): AudioSink {
  let failure: Error | undefined;
  let started = false;
  let dataBytes = 0;
  // Stays for good: a reader may go after the last write, and that must not end the process.
  stream.on('error', (error) => {
    failure ??= error;
  });
  const send = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) return reject(streamFailure(failure));
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
  const start = async (): Promise<void> => {
    if (started) return;
    started = true;
    await send(header(sampleRate, unknownSize));
  };
  return {
    async write(samples) {
      await start();
      const data = encodeData(samples, sampleRate);
      dataBytes += data.length;
      if (dataBytes > maxDataBytes) throw tooLong();
      if (data.length > 0) await send(data);
    },
    finish: start,
    abort: () => Promise.resolve(),
  };
}

/** A stream of its own to a pipe or device. */
function createDeviceSink(path: string, sampleRate: number): AudioSink {
  const stream = createWriteStream(path);
  const sink = createWavStream(stream, sampleRate);
  return {
    write: sink.write,
    async finish() {
      await sink.finish();
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

const cannotWrite = (target: string, error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  const received = code === 'ENOSPC' ? 'a full disk' : message;
  return `expected to write audio to ${target}, received ${received}`;
};

const unwritable = (path: string, received: string, cause?: unknown): SvcError =>
  new SvcError('INVALID_REQUEST', `expected a file in a writable folder for output ${path}, received ${received}`, {
    cause,
  });

function creationFailure(path: string, folder: string, error: unknown): SvcError {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOENT', 'ENOTDIR'].includes(code))
    return unwritable(path, `the folder ${folder}, which does not exist`, error);
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return unwritable(path, `the read-only folder ${folder}`, error);
  return new SvcError('IO', cannotWrite(path, error), { cause: error });
}

const tooLong = (): SvcError =>
  new SvcError('INVALID_REQUEST', 'expected less than 4 GiB for a WAV file, received more audio');

const ignore = (): void => undefined;
