/**
 * Mono WAV and raw PCM out.
 *
 * A 16-bit sample becomes `round(sample × 32768)`, halves up, clipped to -32768..32767: the inverse of the
 * division by 32768 that reading does, the same for both signs. Everything goes through `wav-encoder`, block by
 * block or at once, so the same samples give the same bytes whichever way they are written.
 */
import { encode } from 'wav-encoder';
import { SvcError } from '../errors.ts';
import type { Encoded, Transform } from './transform.ts';

/** How a sample is stored: 16-bit integer or 32-bit float. */
export const sampleFormats = ['s16', 'f32'] as const;
export type SampleFormat = (typeof sampleFormats)[number];

const headerBytes = 44;
/** As streaming writers state a size that they don't know yet. */
const unknownSize = 0xffffffff;
const maxDataBytes = unknownSize - headerBytes;

/** Samples in [-1, 1] as a complete file. */
export function encodeWav(samples: Float32Array, sampleRate: number, sampleFormat: SampleFormat = 's16'): Uint8Array {
  const float = sampleFormat === 'f32';
  const options = { bitDepth: float ? 32 : 16, float, symmetric: true };
  return new Uint8Array(encode.sync({ sampleRate, channelData: [samples] }, options));
}

/** Samples in [-1, 1] as little-endian values without a header. */
export const encodePcm = (samples: Float32Array, sampleFormat: SampleFormat = 's16'): Uint8Array =>
  encodeWav(samples, 1, sampleFormat).subarray(headerBytes);

function header(sampleRate: number, sampleFormat: SampleFormat, dataBytes: number): Uint8Array {
  const bytes = encodeWav(new Float32Array(0), sampleRate, sampleFormat);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, dataBytes === unknownSize ? unknownSize : dataBytes + headerBytes - 8, true);
  view.setUint32(40, dataBytes, true);
  return bytes;
}

/** WAV as a stream: the header states unknown sizes (0xFFFFFFFF) until it is replaced at the end. */
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
    // Starts the file of an utterance without samples too.
    flush: () => [...start(), { position: 0, bytes: header(sampleRate, sampleFormat, dataBytes) }],
    close: () => undefined,
  };
}

/** Raw 16-bit little-endian samples. */
export const pcmEncoder: Transform<Float32Array, Encoded> = {
  push: (samples) => [{ bytes: encodePcm(samples) }],
  flush: () => [],
  close: () => undefined,
};

const tooLong = (): SvcError =>
  new SvcError('INVALID_REQUEST', 'expected less than 4 GiB for a WAV file, received more audio');
