/** The formats that audio can be written in. */
import { extname } from 'node:path';
import { SvcError } from '../errors.ts';
import { createAacEncoder } from './aac-encode.ts';
import { createFlacEncoder, createMp3Encoder, createOpusEncoder } from './libav-encode.ts';
import {
  type AudioSink,
  createByteSink,
  createFileSink,
  createStreamWriter,
  through,
  type WriteBytes,
} from './sink.ts';
import type { EncodedBytes, Encoder } from './transform.ts';
import { createWavEncoder, pcmEncoder, type SampleFormat } from './wav-encode.ts';

export interface AudioFormat {
  readonly extension: string;
  readonly mimeType: string;
  /** Values come back as they were written, rounded to the sample format. */
  readonly coding: 'lossless' | 'lossy';
  /** Rate of the file; the rate of the samples when left out. */
  readonly sampleRate?: number;
  /** Package that encodes it, loaded when first needed; none when left out. */
  readonly library?: string;
}

/** By the names of `--response-format`. All can be streamed. */
export const audioFormats = {
  wav: { extension: '.wav', mimeType: 'audio/wav', coding: 'lossless' },
  flac: { extension: '.flac', mimeType: 'audio/flac', coding: 'lossless', library: '@libav.js/variant-obsolete' },
  mp3: { extension: '.mp3', mimeType: 'audio/mpeg', coding: 'lossy', library: '@libav.js/variant-obsolete' },
  opus: {
    extension: '.opus',
    mimeType: 'audio/ogg; codecs=opus',
    coding: 'lossy',
    sampleRate: 48_000,
    library: '@libav.js/variant-obsolete',
  },
  ogg: {
    extension: '.ogg',
    mimeType: 'audio/ogg; codecs=opus',
    coding: 'lossy',
    sampleRate: 48_000,
    library: '@libav.js/variant-obsolete',
  },
  aac: { extension: '.aac', mimeType: 'audio/aac', coding: 'lossy', library: '@mediabunny/aac-encoder' },
  pcm: { extension: '.pcm', mimeType: 'audio/pcm', coding: 'lossless' },
} as const satisfies Record<string, AudioFormat>;

export type AudioFormatName = keyof typeof audioFormats;

export const audioFormatNames = Object.keys(audioFormats) as readonly AudioFormatName[];

/** The format of a file name by its extension, in any case. */
export function formatOfPath(path: string): AudioFormatName | undefined {
  const extension = extname(path).toLowerCase();
  return audioFormatNames.find((name) => audioFormats[name].extension === extension);
}

export interface EncoderOptions {
  readonly format: AudioFormatName;
  /** Of the samples, Hz. */
  readonly sampleRate: number;
  /** Of WAV only; the others have one each. 16-bit integers when left out. */
  readonly sampleFormat?: SampleFormat;
}

/**
 * An encoder of any format. The same samples give the same bytes, however they are cut into pieces; nothing about time
 * or machine is stored.
 *
 * @throws SvcError INVALID_REQUEST for a sample format that the format lacks, UNSUPPORTED_AUDIO for a rate that
 *   it lacks, BACKEND_UNAVAILABLE when the package of the format is missing.
 */
export async function openEncoder({ format, sampleRate, sampleFormat = 's16' }: EncoderOptions): Promise<Encoder> {
  if (sampleFormat !== 's16' && format !== 'wav') {
    throw new SvcError('INVALID_REQUEST', `expected the format wav for ${sampleFormat} samples, received ${format}`);
  }
  switch (format) {
    case 'wav':
      return createWavEncoder(sampleRate, sampleFormat);
    case 'pcm':
      return pcmEncoder;
    case 'flac':
      return createFlacEncoder(sampleRate);
    case 'opus':
    case 'ogg':
      return createOpusEncoder(sampleRate);
    case 'mp3':
      return createMp3Encoder(sampleRate);
    case 'aac':
      return createAacEncoder(sampleRate);
  }
}

/** Bytes that replace earlier ones, such as sizes in a header, where the target can be rewritten. */
export type ByteOverwrite = Required<EncodedBytes>;

/** An encoder and where its bytes go. */
export interface AudioEncoder extends Pick<AudioSink, 'write'> {
  /** Writes the rest. Without the overwrites, the bytes are a stream: complete, with unknown sizes in the header. */
  finish(): Promise<readonly ByteOverwrite[]>;
  /** Frees what an encoder holds that is not finished. Never rejects. */
  close(): Promise<void>;
}

/**
 * As `openEncoder`, for bytes that go to a function as soon as there are some.
 *
 * @example
 * const encoder = await createEncoder({ format: 'mp3', sampleRate: 48_000 }, async (bytes) => send(bytes));
 * await encoder.write(samples);
 * await encoder.finish();
 */
export async function createEncoder(options: EncoderOptions, write: WriteBytes): Promise<AudioEncoder> {
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
 * @throws SvcError INVALID_REQUEST for a sample format that the format lacks, UNSUPPORTED_AUDIO for a sample rate that it
 *   lacks
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

/** A file of any format, as `createFileSink` makes files. */
export async function createAudioFile(path: string, options: EncoderOptions): Promise<AudioSink> {
  const file = await createFileSink(path);
  const encoder = openEncoder(options);
  await encoder.catch(file.abort);
  return through(await encoder, file);
}

/**
 * Audio of any format to a stream that stays the caller's to end, such as standard output or an HTTP response. Each call
 * waits until the stream has passed its bytes on. Sizes that a header wants are unknown.
 *
 * Calls reject with CANCELLED when the reader has gone, with IO for other failures of the stream.
 */
export const createAudioStream = (stream: NodeJS.WritableStream, options: EncoderOptions): AudioSink =>
  // Opened at once, so that a codec loads while the first audio is made; a failure shows in the first call.
  through(openEncoder(options), createByteSink(createStreamWriter(stream)));

/** A 16-bit WAV file, as `createAudioFile` makes files. */
export const createWavFile = (path: string, sampleRate: number): Promise<AudioSink> =>
  createAudioFile(path, { format: 'wav', sampleRate });

/** 16-bit WAV to a stream, as `createAudioStream` does it. */
export const createWavStream = (stream: NodeJS.WritableStream, sampleRate: number): AudioSink =>
  createAudioStream(stream, { format: 'wav', sampleRate });
