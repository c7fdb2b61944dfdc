/** Output formats of audio. */
import { extname } from 'node:path';
import { z } from 'zod';
import { show } from '../../messages.ts';
import { invalid, numberIn, oneOf, parse, requestError } from '../../validation.ts';
import type { EncodedBytes, Encoder } from '../transform.ts';
import { createG711Encoder, type G711Law, g711Laws } from './g711-encode.ts';
import {
  type AudioSink,
  createByteSink,
  createFileSink,
  createStreamWriter,
  requireSamples,
  through,
  type WriteBytes,
} from './sink.ts';
import {
  createWavEncoder,
  encodePcm,
  encodeWav as encodeWavSamples,
  rawEncoder,
  type SampleFormat,
  sampleFormats,
} from './wav-encode.ts';

/** Hz; a rate that all formats support. */
export const universalRate = 48_000;

export interface AudioFormat {
  readonly extension: string;
  readonly mimeType: string;
  /** `lossless` values decode to the same values, rounded to the sample format. */
  readonly coding: 'lossless' | 'lossy';
  /** Sample rate of the file. Default: that of the samples. */
  readonly sampleRate?: number;
  /** Package of the encoder, loaded when first needed. */
  readonly library?: string;
}

const libav = '@libav.js/variant-obsolete';
const opus = { mimeType: 'audio/ogg; codecs=opus', coding: 'lossy', sampleRate: 48_000, library: libav } as const;

/** Formats by name. All can be streamed. */
export const audioFormats = {
  wav: { extension: '.wav', mimeType: 'audio/wav', coding: 'lossless' },
  flac: { extension: '.flac', mimeType: 'audio/flac', coding: 'lossless', library: libav },
  mp3: { extension: '.mp3', mimeType: 'audio/mpeg', coding: 'lossy', library: libav },
  opus: { extension: '.opus', ...opus },
  ogg: { extension: '.ogg', ...opus },
  aac: { extension: '.aac', mimeType: 'audio/aac', coding: 'lossy', library: '@mediabunny/aac-encoder' },
  pcm: { extension: '.pcm', mimeType: 'audio/pcm', coding: 'lossless' },
} as const satisfies Record<string, AudioFormat>;

export type AudioFormatName = keyof typeof audioFormats;

export const audioFormatNames = Object.keys(audioFormats) as readonly AudioFormatName[];

/** The format of a file name, by its extension (case-insensitive). */
export function formatOfPath(path: string): AudioFormatName | undefined {
  if (typeof path !== 'string') throw invalid('a string', 'the path of the file', show(path));
  const extension = extname(path).toLowerCase();
  return audioFormatNames.find((name) => audioFormats[name].extension === extension);
}

export interface EncoderOptions {
  readonly format: AudioFormatName;
  /** Sample rate in Hz. */
  readonly sampleRate: number;
  /** `f32` for WAV only, `ulaw` and `alaw` for raw samples only. Default: 16-bit integers. */
  readonly sampleFormat?: SampleFormat | G711Law | undefined;
  /** Bits per second of MP3 and Opus. Default: transparent enough for speech. */
  readonly bitRate?: number | undefined;
}

const sampleRate = numberIn({ kind: 'integer', minimum: 1, maximum: 768_000 });
const wavOptions = z.object({ sampleRate, sampleFormat: oneOf(sampleFormats).default('s16') });
const encoderOptions = z.object({
  format: oneOf(audioFormatNames),
  sampleRate,
  sampleFormat: oneOf([...sampleFormats, ...g711Laws]).default('s16'),
  bitRate: numberIn({ kind: 'integer', minimum: 8_000, maximum: 320_000 }).optional(),
});

/**
 * Opens an encoder. The same samples give the same bytes, regardless of the size of pieces, time and machine.
 *
 * @throws SvcError INVALID_REQUEST for invalid options, UNSUPPORTED_AUDIO for a sample rate that the format lacks,
 *   BACKEND_UNAVAILABLE if the package of the format is missing
 */
export async function openEncoder(options: EncoderOptions): Promise<Encoder> {
  const { format, sampleRate, sampleFormat, bitRate } = parse(encoderOptions, options, 'the encoder options');
  const isLaw = sampleFormat === 'ulaw' || sampleFormat === 'alaw';
  const needed = isLaw ? 'pcm' : 'wav';
  if (sampleFormat !== 's16' && format !== needed)
    throw requestError(`sample format ${sampleFormat} needs the format ${needed}, not ${format}`, 'sampleFormat');
  if (isLaw) return createG711Encoder(sampleFormat);
  switch (format) {
    case 'wav':
      return createWavEncoder(sampleRate, sampleFormat);
    case 'pcm':
      return rawEncoder((samples) => encodePcm(samples));
    case 'flac':
      return (await import('./libav-encode.ts')).createFlacEncoder(sampleRate);
    case 'opus':
    case 'ogg':
      return (await import('./libav-encode.ts')).createOpusEncoder(sampleRate, {}, bitRate);
    case 'mp3':
      return (await import('./libav-encode.ts')).createMp3Encoder(sampleRate, bitRate);
    case 'aac':
      return (await import('./aac-encode.ts')).createAacEncoder(sampleRate);
  }
}

/** Bytes that replace earlier ones, such as sizes in a header, if the target can be rewritten. */
export type ByteOverwrite = Required<EncodedBytes>;

/** An encoder with a destination. */
export interface AudioEncoder extends Pick<AudioSink, 'write'> {
  /** Writes the rest. Without the overwrites, the bytes are a complete stream with unknown sizes. */
  finish(): Promise<readonly ByteOverwrite[]>;
  /** Frees an unfinished encoder. Never rejects. */
  close(): Promise<void>;
}

/**
 * Opens an encoder that passes bytes to a function as soon as they are available.
 *
 * @example
 * const encoder = await createEncoder({ format: 'mp3', sampleRate: 48_000 }, async (bytes) => send(bytes));
 * await encoder.write(samples);
 * await encoder.finish();
 */
export async function createEncoder(options: EncoderOptions, write: WriteBytes): Promise<AudioEncoder> {
  if (typeof write !== 'function') throw invalid('a function', 'write', show(write));
  const overwrites: ByteOverwrite[] = [];
  const bytes = createByteSink(write, async (bytes, position) => void overwrites.push({ bytes, position }));
  const sink = through(await openEncoder(options), bytes);
  return { write: sink.write, finish: async () => sink.finish().then(() => overwrites), close: sink.abort };
}

/**
 * A complete file of any format in memory, with the same bytes that `createAudioFile` writes.
 *
 * @param samples mono, in [-1, 1]
 * @example
 * const { samples, sampleRate } = await engine.synthesize({ text: 'Hello.' });
 * const mp3 = await encodeAudio(samples, { format: 'mp3', sampleRate });
 *
 * @throws SvcError INVALID_REQUEST for invalid samples or options, UNSUPPORTED_AUDIO for a sample rate that the
 *   format lacks
 */
export async function encodeAudio(samples: Float32Array, options: EncoderOptions): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const encoder = await createEncoder(options, async (bytes) => void pieces.push(bytes));
  await encoder.write(samples);
  const overwrites = await encoder.finish();
  const file = new Uint8Array(Buffer.concat(pieces));
  for (const { bytes, position } of overwrites) file.set(bytes, position);
  return file;
}

/** Creates an audio file; see `createFileSink`. */
export async function createAudioFile(path: string, options: EncoderOptions): Promise<AudioSink> {
  const file = await createFileSink(path);
  const encoder = openEncoder(options);
  await encoder.catch(file.abort);
  return through(await encoder, file);
}

/**
 * Writes audio to a stream, such as standard output or an HTTP response, which the caller must end. Each call waits
 * until the stream has passed its bytes on. Sizes in the header are unknown.
 *
 * Calls reject with CANCELLED if the reader is gone, with IO for other failures of the stream.
 *
 * @param signal ends the wait for a reader that takes nothing
 */
export function createAudioStream(
  stream: NodeJS.WritableStream,
  options: EncoderOptions,
  signal?: AbortSignal,
): AudioSink {
  const sink = createByteSink(createStreamWriter(stream, signal));
  // Opened at once, so that the codec loads while the first audio is generated; the first call reports a failure.
  return through(openEncoder(options), sink);
}

/** Encodes mono samples in [-1, 1] to a complete WAV file. @throws SvcError INVALID_REQUEST */
export function encodeWav(samples: Float32Array, sampleRate: number, sampleFormat?: SampleFormat): Uint8Array {
  const options = parse(wavOptions, { sampleRate, sampleFormat });
  return encodeWavSamples(requireSamples(samples), options.sampleRate, options.sampleFormat);
}

/** Creates a 16-bit WAV file; see `createAudioFile`. */
export const createWavFile = (path: string, sampleRate: number): Promise<AudioSink> =>
  createAudioFile(path, { format: 'wav', sampleRate });

/** Writes 16-bit WAV to a stream; see `createAudioStream`. */
export const createWavStream = (stream: NodeJS.WritableStream, sampleRate: number): AudioSink =>
  createAudioStream(stream, { format: 'wav', sampleRate });
