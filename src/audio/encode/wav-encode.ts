/**
 * Encodes mono WAV and raw PCM.
 *
 * A 16-bit sample is `round(sample × 32768)`, halves up, clipped to -32768..32767: the inverse of the division by 32768
 * on reading, for both signs. Files and streams use the same encoder, so the same samples give the same bytes.
 */
import { encode } from 'wav-encoder';
import { SvcError } from '../../errors.ts';
import type { Encoded, Transform } from '../transform.ts';

/** Sample formats: 16-bit integer or 32-bit float. */
export const sampleFormats = ['s16', 'f32'] as const;
export type SampleFormat = (typeof sampleFormats)[number];

const headerBytes = 44;
/** The size written by streaming writers when unknown. */
const unknownSize = 0xffffffff;
const maxDataBytes = unknownSize - headerBytes;

/** Encodes samples in [-1, 1] to a complete file. */
export function encodeWav(samples: Float32Array, sampleRate: number, sampleFormat: SampleFormat = 's16'): Uint8Array {
  const float = sampleFormat === 'f32';
  const options = { bitDepth: float ? 32 : 16, float, symmetric: true };
  return new Uint8Array(encode.sync({ sampleRate, channelData: [samples] }, options));
}

/**
 * Encodes samples in [-1, 1] to little-endian values without a header, the same as `encodeWav`. Streams to many listeners
 * spend their time here, so this doesn't call the library's writer for each sample.
 */
export function encodePcm(samples: Float32Array, sampleFormat: SampleFormat = 's16'): Uint8Array {
  if (sampleFormat === 'f32') return encodeWav(samples, 1, sampleFormat).subarray(headerBytes);
  return new Uint8Array(toInt16(samples).buffer);
}

export function toInt16(samples: Float32Array): Int16Array<ArrayBuffer> {
  const values = new Int16Array(samples.length);
  for (let index = 0; index < samples.length; index += 1) {
    const value = Math.round((samples[index] as number) * 32_768);
    values[index] = Math.max(-32_768, Math.min(value, 32_767));
  }
  return values;
}

function header(sampleRate: number, sampleFormat: SampleFormat, dataBytes: number): Uint8Array {
  const bytes = encodeWav(new Float32Array(0), sampleRate, sampleFormat);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, dataBytes === unknownSize ? unknownSize : dataBytes + headerBytes - 8, true);
  view.setUint32(40, dataBytes, true);
  return bytes;
}

/** Creates a streaming WAV encoder: the header has unknown sizes (0xFFFFFFFF) until it is replaced at the end. */
export function createWavEncoder(sampleRate: number, sampleFormat: SampleFormat): Transform<Float32Array, Encoded> {
  let dataBytes = 0;
  let started = false;
  const start = (): Encoded => {
    if (started) return [];
    started = true;
    return [{ bytes: header(sampleRate, sampleFormat, unknownSize) }];
  };
  return {
    push(samples) {
      const bytes = encodePcm(samples, sampleFormat);
      dataBytes += bytes.length;
      if (dataBytes > maxDataBytes) throw tooLong();
      return [...start(), { bytes }];
    },
    // Also writes the header of an empty file.
    flush: () => [...start(), { position: 0, bytes: header(sampleRate, sampleFormat, dataBytes) }],
    close: () => undefined,
  };
}

/** Encodes samples one by one, without a header. */
export const rawEncoder = (encodeSamples: (samples: Float32Array) => Uint8Array): Transform<Float32Array, Encoded> => ({
  push: (samples) => [{ bytes: encodeSamples(samples) }],
  flush: () => [],
  close: () => undefined,
});

const tooLong = (): SvcError => new SvcError('INVALID_REQUEST', 'the audio exceeds the 4 GiB limit of a WAV file');
