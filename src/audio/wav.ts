/** Decodes WAV files of PCM, float or G.711 to mono float32, without trusting sizes and counts in headers. */
import { SvcError } from '../errors.ts';
import { assertWithin, type DecodeLimits, limitsFor } from './decode-limits.ts';
import { findChunks } from './riff.ts';

export interface Audio {
  /** Mono: the mean of the channels; full scale is 1. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  /** Number of channels of the source. */
  readonly channels: number;
}

/**
 * Decodes PCM of 8 to 32 bits, float of 32 or 64 bits, A-law and µ-law, also in WAVE_FORMAT_EXTENSIBLE. Of a truncated
 * or unfinished file, decodes the complete frames.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for other formats, PAYLOAD_TOO_LARGE beyond a limit
 */
export function decodeWav(bytes: Uint8Array, limits: DecodeLimits = limitsFor()): Audio {
  const { format, data } = findChunks(bytes);
  const { channels, sampleRate, coding, bits } = parseFormat(format);
  const frames = Math.floor(data.length / ((channels * bits) / 8));
  if (frames === 0) throw unsupported('the WAV file contains no samples');
  assertWithin(limits, { samples: frames, channels, sampleRate });

  const valueAt = valueReader(data, coding, bits);
  const { offset, scale } = levels(coding, bits);
  const samples = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += valueAt(frame * channels + channel);
    samples[frame] = (sum / channels - offset) * scale;
    if (!Number.isFinite(samples[frame])) throw unsupported('the WAV file contains infinite or NaN samples');
  }
  return { samples, sampleRate, channels };
}

const unsupported = (problem: string): SvcError => new SvcError('UNSUPPORTED_AUDIO', problem);

interface Format {
  readonly coding: keyof typeof codings;
  readonly channels: number;
  readonly sampleRate: number;
  /** Bits per sample, a multiple of 8. */
  readonly bits: number;
}

/** Supported codings and sample sizes, by `wFormatTag`. */
const codings = {
  1: { name: 'PCM', bits: [8, 16, 24, 32] },
  3: { name: 'float', bits: [32, 64] },
  6: { name: 'A-law', bits: [8] },
  7: { name: 'µ-law', bits: [8] },
} as const;

const isCoding = (tag: number): tag is keyof typeof codings => tag in codings;

const extensible = 0xfffe;
const sampleRates = { lowest: 1_000, highest: 768_000 };
const maxChannels = 256;

function parseFormat(chunk: Uint8Array): Format {
  if (chunk.length < 16) throw unsupported('the WAV file has a broken format chunk');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  const channels = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  if (channels < 1 || channels > maxChannels)
    throw unsupported(`the WAV file has ${channels} channels; 1 to ${maxChannels} are supported`);
  if (sampleRate < sampleRates.lowest || sampleRate > sampleRates.highest) {
    throw unsupported(`the WAV file has an unsupported sample rate of ${sampleRate} Hz`);
  }
  // The first two bytes of the sub-format GUID are its format tag.
  const tag =
    view.getUint16(0, true) === extensible && chunk.length >= 40 ? view.getUint16(24, true) : view.getUint16(0, true);
  if (!isCoding(tag))
    throw unsupported(
      `the WAV file has the unsupported format 0x${tag.toString(16).padStart(4, '0')}; use PCM, float, A-law or µ-law`,
    );
  // Samples of other sizes, such as 20 bits, use the high bits of whole bytes.
  const bits = Math.max(Math.ceil(view.getUint16(14, true) / 8), Math.floor(view.getUint16(12, true) / channels)) * 8;
  const { name, bits: sizes } = codings[tag];
  if (!sizes.some((size) => size === bits))
    throw unsupported(`the WAV file has unsupported ${bits}-bit ${name} samples`);
  return { coding: tag, channels, sampleRate, bits };
}

/** Reads interleaved stored values; G.711 as 16-bit integers. */
function valueReader(data: Uint8Array, coding: Format['coding'], bits: number): (index: number) => number {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  if (coding === 6) return (index) => fromALaw(view.getUint8(index));
  if (coding === 7) return (index) => fromMuLaw(view.getUint8(index));
  if (coding === 3) {
    return bits === 32 ? (index) => view.getFloat32(index * 4, true) : (index) => view.getFloat64(index * 8, true);
  }
  if (bits === 8) return (index) => view.getUint8(index);
  if (bits === 16) return (index) => view.getInt16(index * 2, true);
  if (bits === 24) return (index) => view.getUint16(index * 3, true) + view.getInt8(index * 3 + 2) * 2 ** 16;
  return (index) => view.getInt32(index * 4, true);
}

/** ITU-T G.711 A-law: sign, three bits of exponent, four of mantissa; every other bit inverted. */
function fromALaw(stored: number): number {
  const value = stored ^ 0x55;
  const exponent = (value >> 4) & 7;
  const step = ((value & 15) << 4) + 8;
  const magnitude = exponent === 0 ? step : (step + 0x100) << (exponent - 1);
  return value & 0x80 ? magnitude : -magnitude;
}

/** ITU-T G.711 µ-law: all bits inverted, with a bias of 132. */
function fromMuLaw(stored: number): number {
  const value = ~stored & 0xff;
  const magnitude = ((((value & 15) << 3) + 132) << ((value >> 4) & 7)) - 132;
  return value & 0x80 ? -magnitude : magnitude;
}

/** Zero level and scale of stored samples: 16-bit samples are divided by 2^15, like libsndfile and torchaudio. */
function levels(coding: Format['coding'], bits: number): { readonly offset: number; readonly scale: number } {
  if (coding === 3) return { offset: 0, scale: 1 };
  if (coding !== 1) return { offset: 0, scale: 2 ** -15 };
  return { offset: bits === 8 ? 128 : 0, scale: 2 ** (1 - bits) };
}
