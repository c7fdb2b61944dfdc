/** Reads and decodes recordings of any format to mono float32. */
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { SvcError } from '../../errors.ts';
import { reasonOf, refuseNamedPipe } from '../../files/file-system.ts';
import { show } from '../../messages.ts';
import { invalid, parse, truth } from '../../validation.ts';
import type { Audio } from '../audio.ts';
import { limitsFor } from './decode-limits.ts';
import { decodeInThread } from './decode-pool.ts';

export interface DecodeOptions {
  /** Maximum duration. Default: 15 minutes. */
  readonly maxSeconds?: number | undefined;
  /**
   * Remove noise, and set the loudness to -20 LUFS: gives audio of 16 kHz, as the denoiser of the official code does
   * (default: false).
   */
  readonly denoise?: boolean | undefined;
  /** Stops the decoder. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Decodes WAV, AIFF, CAF, FLAC, MP3, Ogg and WebM (Opus, Vorbis, FLAC), M4A (AAC) and AAC in a worker thread; detects
 * the format from the bytes. Formats other than the first three load a library. A truncated file is decoded as far as possible.
 *
 * @throws SvcError INVALID_REQUEST unless given bytes; UNSUPPORTED_AUDIO for other formats, files without audio and files that take too long to decode;
 *   PAYLOAD_TOO_LARGE beyond the duration limit; BACKEND_UNAVAILABLE if the package of the decoder is missing;
 *   CANCELLED
 */
export async function decodeAudio(bytes: Uint8Array, options: DecodeOptions = {}): Promise<Audio> {
  checkOptions(options);
  const isBytes = bytes instanceof Uint8Array || (bytes as unknown) instanceof ArrayBuffer;
  if (!isBytes) throw invalid('a Uint8Array', 'bytes', show(bytes), { param: 'bytes' });
  return decodeAs(new Uint8Array(bytes), options);
}

const optionsSchema = z.object(
  {
    maxSeconds: z.number({ error: 'a number' }).optional(),
    denoise: truth.optional(),
    signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
  },
  { error: 'an object' },
);

/** @throws SvcError INVALID_REQUEST */
const checkOptions = (options: DecodeOptions): void => void parse(optionsSchema, options, 'the options of the decoder');

function decodeAs(
  bytes: Uint8Array<ArrayBuffer>,
  { maxSeconds, denoise = false, signal }: DecodeOptions,
): Promise<Audio> {
  const noise = denoise ? 'remove' : 'keep';
  return decodeInThread(bytes, limitsFor(maxSeconds, noise), { noise, signal });
}

/** Maximum file size; an hour of 24-bit stereo at 96 kHz is 2 GB, far more than any prompt. */
const maxFileMegabytes = 512;

/** Reads and decodes an audio file. @throws SvcError like `decodeAudio`, with the path; INVALID_REQUEST */
export async function readAudioFile(path: string, options: DecodeOptions = {}): Promise<Audio> {
  checkOptions(options);
  return readAudioFileWith((bytes) => decodeAs(owned(bytes), options), path);
}

/** `readAudioFile` with another decoder. */
export async function readAudioFileWith(decode: (bytes: Uint8Array) => Promise<Audio>, path: string): Promise<Audio> {
  const bytes = await readBytes(path);
  try {
    return await decode(bytes);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    // Neither concerns the file.
    if (error.code === 'CANCELLED' || error.code === 'BACKEND_UNAVAILABLE') throw error;
    throw new SvcError(error.code, `${path}: ${error.message}`, { cause: error });
  }
}

/** Bytes with their own buffer; copies only if necessary. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.length
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes);

async function readBytes(path: string): Promise<Uint8Array> {
  if (typeof path !== 'string') throw invalid('a file name', 'path', show(path), { param: 'path' });
  if (path === '') throw new SvcError('INVALID_REQUEST', 'the path of the audio file is empty');
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    await refuseNamedPipe(path, () => unreadable(path, 'it is a named pipe'));
    handle = await open(path, 'r');
  } catch (error) {
    throw error instanceof SvcError ? error : unreadable(path, reasonOf(error), error);
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw unreadable(path, 'it is a folder');
    if (!stats.isFile() && !stats.isFIFO()) throw unreadable(path, 'it is a device');
    if (stats.size > maxFileMegabytes * 2 ** 20)
      throw unreadable(path, `it is larger than the limit of ${maxFileMegabytes} MiB`);
    return await handle.readFile();
  } catch (error) {
    throw error instanceof SvcError ? error : unreadable(path, reasonOf(error), error);
  } finally {
    await handle.close();
  }
}

const unreadable = (path: string, reason: string, cause?: unknown): SvcError =>
  new SvcError('INVALID_REQUEST', `cannot read audio file ${path}: ${reason}`, { cause });
