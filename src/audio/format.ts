/** The formats that audio can be written in. */
import { extname } from 'node:path';
import { SvcError } from '../errors.ts';
import { createAacEncoder } from './aac-encode.ts';
import type { AudioEncoder, WriteBytes } from './audio-encoder.ts';
import { type AudioSink, createFileSink, createStreamSink } from './audio-sink.ts';
import { createFlacEncoder, createOpusEncoder } from './libav-encode.ts';
import { createMp3Encoder } from './mp3-encode.ts';
import { inSlices } from './slices.ts';
import { createPcmEncoder, createWavEncoder, type SampleFormat } from './wav-encode.ts';

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
 * An encoder that hands its bytes to `write` as soon as there are some. The same samples give the same bytes,
 * however they are cut into pieces; nothing about time or machine is stored.
 *
 * @throws SvcError INVALID_REQUEST for a sample format that the format lacks, UNSUPPORTED_AUDIO for a rate that
 *   it lacks, BACKEND_UNAVAILABLE when the package of the format is missing.
 * @example
 * const encoder = await createEncoder({ format: 'mp3', sampleRate: 48_000 }, async (bytes) => send(bytes));
 * await encoder.write(samples);
 * await encoder.finish();
 */
export async function createEncoder(options: EncoderOptions, write: WriteBytes): Promise<AudioEncoder> {
  const encoder = await openEncoder(options, write);
  const sliceSamples = Math.ceil(options.sampleRate * sliceSeconds);
  return { ...encoder, write: (samples) => inSlices(samples, sliceSamples, encoder.write) };
}

/** A part of a long text comes in one piece, and codecs take up to 30 ms for a second. */
const sliceSeconds = 0.5;

async function openEncoder(options: EncoderOptions, write: WriteBytes): Promise<AudioEncoder> {
  const { format, sampleRate, sampleFormat = 's16' } = options;
  if (sampleFormat !== 's16' && format !== 'wav') {
    throw new SvcError('INVALID_REQUEST', `expected the format wav for ${sampleFormat} samples, received ${format}`);
  }
  switch (format) {
    case 'wav':
      return createWavEncoder(sampleRate, sampleFormat, write);
    case 'pcm':
      return createPcmEncoder(write);
    case 'flac':
      return createFlacEncoder(sampleRate, write);
    case 'opus':
    case 'ogg':
      return createOpusEncoder(sampleRate, write);
    case 'mp3':
      return createMp3Encoder(sampleRate, write);
    case 'aac':
      return createAacEncoder(sampleRate, write);
  }
}

/** A file of any format, as `createFileSink` makes files. */
export const createAudioFile = (path: string, options: EncoderOptions): Promise<AudioSink> =>
  createFileSink(path, (write) => createEncoder(options, write));

/** Audio of any format to a stream, as `createStreamSink` does it. */
export const createAudioStream = (stream: NodeJS.WritableStream, options: EncoderOptions): AudioSink =>
  createStreamSink(stream, (write) => createEncoder(options, write));
