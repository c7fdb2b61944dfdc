/**
 * WAV files in: any PCM, float or G.711 layout to mono float32.
 *
 * The container is walked here, because `wavefile` believes every size and count that a header states (a
 * `cue ` chunk of a few bytes can keep it busy for minutes). What it gets is one block of samples at a time
 * in a minimal file with honest sizes; integers and G.711 are its work.
 */
import wavefile from 'wavefile';
import { SvcError } from '../errors.ts';
import { findChunks } from './riff.ts';

export interface Audio {
  /** Mono, the mean of the channels; full scale is 1. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  /** Channels of the source. */
  readonly channels: number;
}

/**
 * Decodes PCM of 8 to 32 bits, float of 32 or 64 bits, A-law and µ-law, also in WAVE_FORMAT_EXTENSIBLE. A
 * file that ends early, or whose sizes were never filled in, gives the whole frames that are there.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for anything else.
 */
export function decodeWav(bytes: Uint8Array): Audio {
  const { format, data } = findChunks(bytes);
  const { channels, sampleRate, coding, bits } = parseFormat(format);
  const frameBytes = (channels * bits) / 8;
  const frames = Math.floor(data.length / frameBytes);
  if (frames === 0) throw unsupported('a WAV file without samples');

  const samples = new Float32Array(frames);
  for (let start = 0; start < frames; start += blockFrames) {
    const count = Math.min(blockFrames, frames - start);
    const block = data.subarray(start * frameBytes, (start + count) * frameBytes);
    samples.set(decodeBlock(block, coding, channels, bits), start);
  }
  return { samples, sampleRate, channels };
}

const unsupported = (received: string): SvcError =>
  new SvcError(
    'UNSUPPORTED_AUDIO',
    `expected a WAV file of PCM, float, A-law or µ-law for audio, received ${received}`,
  );

/** Frames that are decoded at a time; bounds the intermediate float64 copies. */
const blockFrames = 1 << 16;

interface Format {
  readonly coding: keyof typeof codings;
  readonly channels: number;
  readonly sampleRate: number;
  /** Bits that a sample takes up, a multiple of 8. */
  readonly bits: number;
}

/** The codings and sample sizes that are decoded, by `wFormatTag`. */
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
  if (chunk.length < 16) throw unsupported('a WAV file with a broken format chunk');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  const channels = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  if (channels < 1 || channels > maxChannels) throw unsupported(`a WAV file of ${channels} channels`);
  if (sampleRate < sampleRates.lowest || sampleRate > sampleRates.highest) {
    throw unsupported(`a WAV file of ${sampleRate} Hz`);
  }
  // The first two bytes of the sub-format GUID are the tag it stands for.
  const tag =
    view.getUint16(0, true) === extensible && chunk.length >= 40 ? view.getUint16(24, true) : view.getUint16(0, true);
  if (!isCoding(tag)) throw unsupported(`a WAV file of format 0x${tag.toString(16).padStart(4, '0')}`);
  // Samples of odd sizes, such as 20 bits, fill the high bits of whole bytes.
  const bits = Math.max(Math.ceil(view.getUint16(14, true) / 8), Math.floor(view.getUint16(12, true) / channels)) * 8;
  const { name, bits: sizes } = codings[tag];
  if (!sizes.some((size) => size === bits)) throw unsupported(`a WAV file of ${bits}-bit ${name}`);
  return { coding: tag, channels, sampleRate, bits };
}

function decodeBlock(data: Uint8Array, coding: Format['coding'], channels: number, bits: number): Float32Array {
  const values = coding === 3 ? readFloats(data, bits) : readIntegers(data, coding, channels, bits);
  const { offset, scale } = levels(coding, bits);
  const mono = new Float32Array(values.length / channels);
  for (let frame = 0; frame < mono.length; frame += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += values[frame * channels + channel] as number;
    mono[frame] = (sum / channels - offset) * scale;
    if (!Number.isFinite(mono[frame])) throw unsupported('a WAV file with samples that are not finite');
  }
  return mono;
}

/** Interleaved floats; `wavefile` puts each together from its bits and takes seconds for a minute of stereo. */
function readFloats(data: Uint8Array, bits: number): Float64Array {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const bytes = bits / 8;
  return Float64Array.from({ length: data.length / bytes }, (_, index) =>
    bits === 32 ? view.getFloat32(index * bytes, true) : view.getFloat64(index * bytes, true),
  );
}

/** Interleaved integers as they are stored, 16-bit ones for A-law and µ-law. */
function readIntegers(data: Uint8Array, coding: Format['coding'], channels: number, bits: number): Float64Array {
  const wave = new wavefile.WaveFile(minimalWav(data, coding, channels, bits));
  if (coding === 6) wave.fromALaw();
  if (coding === 7) wave.fromMuLaw();
  return wave.getSamples(true, Float64Array);
}

/** Zero level of stored samples and what makes full scale 1: 2^15 for 16 bits, as libsndfile and torchaudio read it. */
function levels(coding: Format['coding'], bits: number): { readonly offset: number; readonly scale: number } {
  if (coding === 3) return { offset: 0, scale: 1 };
  if (coding !== 1) return { offset: 0, scale: 2 ** -15 };
  return { offset: bits === 8 ? 128 : 0, scale: 2 ** (1 - bits) };
}

function minimalWav(data: Uint8Array, coding: number, channels: number, bits: number): Uint8Array {
  const file = new Uint8Array(44 + data.length);
  const view = new DataView(file.buffer);
  const write = (offset: number, id: string): void => file.set(new TextEncoder().encode(id), offset);
  write(0, 'RIFF');
  view.setUint32(4, 36 + data.length, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, coding, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, 8_000, true);
  view.setUint16(32, (channels * bits) / 8, true);
  view.setUint16(34, bits, true);
  write(36, 'data');
  view.setUint32(40, data.length, true);
  file.set(data, 44);
  return file;
}
