/**
 * Mono WAV and raw PCM out.
 *
 * A 16-bit sample becomes `round(sample × 32768)`, halves up, clipped to -32768..32767: the inverse of the
 * division by 32768 that reading does, the same for both signs. Everything goes through `wav-encoder`, block by
 * block or at once, so the same samples give the same bytes whichever way they are written.
 */
import { encode } from 'wav-encoder';
import { SvcError } from '../errors.ts';
import type { AudioEncoder, WriteBytes } from './audio-encoder.ts';
import { type AudioSink, createFileSink, createStreamSink } from './audio-sink.ts';

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

/** WAV as a stream: the header states unknown sizes (0xFFFFFFFF) until it is patched. */
export function createWavEncoder(sampleRate: number, sampleFormat: SampleFormat, write: WriteBytes): AudioEncoder {
  let dataBytes = 0;
  let started = false;
  const start = async (): Promise<void> => {
    if (started) return;
    started = true;
    await write(header(sampleRate, sampleFormat, unknownSize));
  };
  return {
    async write(samples) {
      await start();
      const data = encodePcm(samples, sampleFormat);
      dataBytes += data.length;
      if (dataBytes > maxDataBytes) throw tooLong();
      await write(data);
    },
    async finish() {
      // Also what makes the file of an utterance without samples.
      await start();
      return [{ position: 0, bytes: header(sampleRate, sampleFormat, dataBytes) }];
    },
    close: () => Promise.resolve(),
  };
}

/** Raw 16-bit little-endian samples. */
export const createPcmEncoder = (write: WriteBytes): AudioEncoder => ({
  write: (samples) => write(encodePcm(samples)),
  finish: () => Promise.resolve([]),
  close: () => Promise.resolve(),
});

/** A 16-bit WAV file, as `createFileSink` makes files. */
export const createWavFile = (path: string, sampleRate: number): Promise<AudioSink> =>
  createFileSink(path, async (write) => createWavEncoder(sampleRate, 's16', write));

/** 16-bit WAV to a stream, as `createStreamSink` does it. */
export const createWavStream = (stream: NodeJS.WritableStream, sampleRate: number): AudioSink =>
  createStreamSink(stream, async (write) => createWavEncoder(sampleRate, 's16', write));

const tooLong = (): SvcError =>
  new SvcError('INVALID_REQUEST', 'expected less than 4 GiB for a WAV file, received more audio');
