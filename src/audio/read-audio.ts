/** Prompts and references: audio of any format to mono float32. */
import { open } from 'node:fs/promises';
import { SvcError } from '../errors.ts';
import { reasonOf, refuseNamedPipe } from '../files.ts';
import { limitsFor } from './decode-limits.ts';
import { decodeInThread } from './decode-pool.ts';
import type { Audio } from './wav.ts';

export interface DecodeOptions {
  /** Longest recording; 15 minutes when left out. */
  readonly maxSeconds?: number | undefined;
  /** Ends the decoder. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Decodes WAV, FLAC, MP3, Ogg (Opus, Vorbis, FLAC), M4A (AAC) and AAC in a worker thread; the bytes tell what it is.
 * Only the formats other than WAV load a library. A file that ends early gives what is there.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for anything else, for files without audio and for those that take too long to
 *   decode; PAYLOAD_TOO_LARGE for more audio than the limit; BACKEND_UNAVAILABLE when the package that decodes it is
 *   missing; CANCELLED.
 */
export const decodeAudio = (bytes: Uint8Array, { maxSeconds, signal }: DecodeOptions = {}): Promise<Audio> =>
  decodeInThread(new Uint8Array(bytes), limitsFor(maxSeconds), signal);

/** Largest file that is read, in bytes: an hour of 24-bit stereo at 96 kHz is 2 GB, no prompt is near it. */
const maxFileBytes = 512 * 1024 * 1024;

/**
 * Reads and decodes an audio file.
 *
 * @throws SvcError INVALID_REQUEST when there is no such file or it can't be read, otherwise as `decodeAudio`;
 *   both name the path.
 */
export async function readAudioFile(path: string, { maxSeconds, signal }: DecodeOptions = {}): Promise<Audio> {
  const bytes = await readBytes(path);
  try {
    return await decodeInThread(owned(bytes), limitsFor(maxSeconds), signal);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    // Neither is about the file, and the second ends with a command.
    if (error.code === 'CANCELLED' || error.code === 'BACKEND_UNAVAILABLE') throw error;
    throw new SvcError(error.code, `${error.message} (${path})`, { cause: error });
  }
}

/** Bytes that nobody else has, without a copy where that is so already. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.length
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes);

async function readBytes(path: string): Promise<Uint8Array> {
  if (path === '') throw new SvcError('INVALID_REQUEST', 'expected an audio file for audio, received an empty path');
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    await refuseNamedPipe(path, () => unreadable(path, 'a named pipe'));
    handle = await open(path, 'r');
  } catch (error) {
    throw error instanceof SvcError ? error : unreadable(path, reasonOf(error), error);
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw unreadable(path, 'a folder');
    if (!stats.isFile() && !stats.isFIFO()) throw unreadable(path, 'a device');
    if (stats.size > maxFileBytes) throw unreadable(path, `${stats.size} bytes, more than ${maxFileBytes}`);
    return await handle.readFile();
  } catch (error) {
    throw error instanceof SvcError ? error : unreadable(path, reasonOf(error), error);
  } finally {
    await handle.close();
  }
}

const unreadable = (path: string, received: string, cause?: unknown): SvcError =>
  new SvcError('INVALID_REQUEST', `expected a readable audio file for audio ${path}, received ${received}`, { cause });
