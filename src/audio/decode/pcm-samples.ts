/** Converts the stored samples of WAV, AIFF and CAF to mono float32, without trusting counts in headers. */
import alawmulaw from 'alawmulaw';
import type { Audio } from '../audio.ts';
import { assertWithin, type DecodeLimits, unsupported } from './decode-limits.ts';
import { createPhaseCheck } from './opposite-phase.ts';

/** Sizes in bits of the supported samples, by coding. */
const sizes = {
  integer: [8, 16, 24, 32],
  /** 8-bit samples around 128. */
  unsigned: [8],
  float: [32, 64],
  'A-law': [8],
  'µ-law': [8],
} as const satisfies Record<string, readonly number[]>;

export type SampleCoding = keyof typeof sizes;

export interface StoredSamples {
  /** Kind of file for messages, such as `WAV file`. */
  readonly file: string;
  readonly coding: SampleCoding;
  readonly order: 'little' | 'big';
  readonly channels: number;
  readonly sampleRate: number;
  /** Bits per sample, a multiple of 8: samples of other sizes use the high bits of whole bytes. */
  readonly bits: number;
}

const sampleRates = { lowest: 1_000, highest: 768_000 };
const maxChannels = 256;

/** Decodes the complete frames of interleaved data. @throws SvcError UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE */
export function decodeSamples(data: Uint8Array, stored: StoredSamples, limits: DecodeLimits): Audio {
  const { file, coding, bits, channels } = stored;
  // Old AIFF files have fractions of a Hertz.
  const sampleRate = Math.round(stored.sampleRate);
  if (channels < 1 || channels > maxChannels)
    throw unsupported(`the ${file} has ${channels} channels; 1 to ${maxChannels} are supported`);
  if (!(sampleRate >= sampleRates.lowest && sampleRate <= sampleRates.highest))
    throw unsupported(`the ${file} has an unsupported sample rate of ${sampleRate} Hz`);
  if (!sizes[coding].some((size) => size === bits))
    throw unsupported(`the ${file} has unsupported ${bits}-bit ${coding === 'integer' ? 'PCM' : coding} samples`);
  const frames = Math.floor(data.length / ((channels * bits) / 8));
  if (frames === 0) throw unsupported(`the ${file} contains no samples`);
  assertWithin(limits, { samples: frames, channels, sampleRate });

  const valueAt = valueReader(data, stored);
  const { offset, scale } = levels(coding, bits);
  const samples = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += valueAt(frame * channels + channel);
    samples[frame] = (sum / channels - offset) * scale;
    if (!Number.isFinite(samples[frame])) throw unsupported(`the ${file} contains infinite or NaN samples`);
  }
  const first = (frame: number): number => (valueAt(frame * channels) - offset) * scale;
  if (channels === 2 && isSilentMean(samples, first)) {
    for (let frame = 0; frame < frames; frame += 1) samples[frame] = first(frame);
  }
  return { samples, sampleRate, channels };
}

/** Whether the channels cancel each other; an ordinary recording shows it within its first seconds of sound. */
function isSilentMean(samples: Float32Array, first: (frame: number) => number): boolean {
  const phase = createPhaseCheck();
  for (const [frame, mean] of samples.entries()) {
    phase.add(first(frame), mean);
    if (frame % 4_096 === 0 && phase.isOpposite() === false) return false;
  }
  return phase.isOpposite() === true;
}

/** Four characters, such as the type of a chunk. */
export const textAt = (view: DataView, offset: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(offset + index)));

/** Reads stored values; G.711 as 16-bit integers. */
function valueReader(data: Uint8Array, { coding, order, bits }: StoredSamples): (index: number) => number {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const isLittle = order === 'little';
  if (coding === 'A-law') return (index) => alawmulaw.alaw.decodeSample(view.getUint8(index));
  if (coding === 'µ-law') return (index) => alawmulaw.mulaw.decodeSample(view.getUint8(index));
  if (coding === 'unsigned') return (index) => view.getUint8(index);
  if (coding === 'float') {
    return bits === 32
      ? (index) => view.getFloat32(index * 4, isLittle)
      : (index) => view.getFloat64(index * 8, isLittle);
  }
  if (bits === 8) return (index) => view.getInt8(index);
  if (bits === 16) return (index) => view.getInt16(index * 2, isLittle);
  if (bits === 32) return (index) => view.getInt32(index * 4, isLittle);
  return isLittle
    ? (index) => view.getUint16(index * 3, true) + view.getInt8(index * 3 + 2) * 2 ** 16
    : (index) => view.getInt16(index * 3) * 2 ** 8 + view.getUint8(index * 3 + 2);
}

/** Zero level and scale of stored samples: 16-bit samples are divided by 2^15, like libsndfile and torchaudio. */
function levels(coding: SampleCoding, bits: number): { readonly offset: number; readonly scale: number } {
  if (coding === 'float') return { offset: 0, scale: 1 };
  if (coding === 'unsigned') return { offset: 128, scale: 2 ** -7 };
  return { offset: 0, scale: coding === 'integer' ? 2 ** (1 - bits) : 2 ** -15 };
}
