/**
 * Sample rate conversion as the official code does it before the audio encoder.
 *
 * Model 1 uses `torchaudio.functional.resample` with its defaults, and its results are reproduced here:
 * a polyphase Hann-windowed sinc. No JavaScript library computes those numbers, which is why this is
 * written out. Model 2 uses soxr (`librosa.load`); the same filter bank with the Kaiser parameters that
 * torchaudio documents as `kaiser_best` comes within 3e-4 of it.
 */
import { SvcError } from '../errors.ts';
import type { Audio } from './wav.ts';

export type ResampleKind = 'torchaudio' | 'soxr-like';

/** `lowpass_filter_width`, `rolloff` and window of torchaudio's `_get_sinc_resample_kernel`. */
interface Filter {
  readonly zeroCrossings: number;
  readonly rolloff: number;
  /** Window at `position` from -1 to 1. */
  readonly window: (position: number) => number;
}

const kaiserBeta = 14.769656459379492;
const kaiserPeak = besselI0(kaiserBeta);

const filters: Readonly<Record<ResampleKind, Filter>> = {
  torchaudio: { zeroCrossings: 6, rolloff: 0.99, window: (position) => Math.cos((position * Math.PI) / 2) ** 2 },
  'soxr-like': {
    zeroCrossings: 64,
    rolloff: 0.9475937167399596,
    window: (position) => besselI0(kaiserBeta * Math.sqrt(1 - position * position)) / kaiserPeak,
  },
};

/** Most filter coefficients kept, 64 MiB. Only rates without a common divisor far above 100 kHz need more. */
const maxCoefficients = 1 << 24;

/**
 * Mono samples at another rate, `ceil(length × to / from)` of them; `samples` itself when the rates are equal.
 * Beyond its ends the signal is zero. Memory is that of the result and of one filter a phase.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for rates that are no positive integers, or whose ratio needs too large a filter.
 */
export function resample(samples: Float32Array, from: number, to: number, kind: ResampleKind): Float32Array {
  for (const rate of [from, to]) {
    if (!Number.isSafeInteger(rate) || rate <= 0) throw unsupportedRates(from, to);
  }
  if (from === to) return samples;
  const divisor = greatestCommonDivisor(from, to);
  const step = from / divisor;
  const phases = to / divisor;
  const bank = filterBank(step, phases, filters[kind]);
  if (Math.min(phases, samples.length) * bank.taps > maxCoefficients) throw unsupportedRates(from, to);

  const output = new Float32Array(Math.ceil((samples.length * to) / from));
  for (let index = 0; index < output.length; index += 1) {
    // Output i lies at input position i·step / phases.
    const phase = (index * step) % phases;
    const position = (index * step - phase) / phases;
    output[index] = convolve(samples, position - bank.reach, bank.kernel(phase));
  }
  return output;
}

/** What `loadPrompt` needs to know of a model. */
export interface EncoderInput {
  readonly architecture: 'voxcpm' | 'voxcpm2';
  readonly inputSampleRate: number;
  readonly inputPatchSamples: number;
  readonly maxLength: number;
}

/** @throws SvcError INVALID_REQUEST when the audio alone takes more positions than the model has. */
export function assertFits(audio: Audio, model: EncoderInput): void {
  const seconds = audio.samples.length / audio.sampleRate;
  const limit = (model.maxLength * model.inputPatchSamples) / model.inputSampleRate;
  if (seconds <= limit) return;
  throw new SvcError(
    'INVALID_REQUEST',
    `expected at most ${Math.floor(limit)} seconds for prompt or reference audio, received ${Math.ceil(seconds)}`,
  );
}

/**
 * Mono samples of a prompt or reference at the model's input rate, not yet padded to whole patches.
 *
 * @throws SvcError INVALID_REQUEST as `assertFits`.
 */
export function loadPrompt(audio: Audio, model: EncoderInput): Float32Array {
  assertFits(audio, model);
  const kind = model.architecture === 'voxcpm' ? 'torchaudio' : 'soxr-like';
  return resample(audio.samples, audio.sampleRate, model.inputSampleRate, kind);
}

interface FilterBank {
  /** Coefficients of one filter: input samples `position - reach` to `position - reach + taps - 1`. */
  readonly taps: number;
  readonly reach: number;
  /** The filter of a phase, made when first asked for. */
  readonly kernel: (phase: number) => Float32Array;
}

function filterBank(step: number, phases: number, filter: Filter): FilterBank {
  const cutoff = (Math.min(step, phases) * filter.rolloff) / step;
  const reach = Math.ceil(filter.zeroCrossings / cutoff);
  // One more than symmetric: a phase lies up to one input sample behind its position.
  const taps = 2 * reach + 2;
  const kernels = new Map<number, Float32Array>();
  const make = (phase: number): Float32Array =>
    Float32Array.from({ length: taps }, (_, tap) => {
      const crossing = (tap - reach - phase / phases) * cutoff;
      if (Math.abs(crossing) >= filter.zeroCrossings) return 0;
      return sinc(crossing) * filter.window(crossing / filter.zeroCrossings) * cutoff;
    });
  const kernel = (phase: number): Float32Array => {
    const known = kernels.get(phase);
    if (known !== undefined) return known;
    const made = make(phase);
    kernels.set(phase, made);
    return made;
  };
  return { taps, reach, kernel };
}

function convolve(samples: Float32Array, start: number, kernel: Float32Array): number {
  const first = Math.max(0, -start);
  const end = Math.min(kernel.length, samples.length - start);
  let sum = 0;
  for (let tap = first; tap < end; tap += 1) sum += (samples[start + tap] as number) * (kernel[tap] as number);
  return sum;
}

const sinc = (crossing: number): number => (crossing === 0 ? 1 : Math.sin(Math.PI * crossing) / (Math.PI * crossing));

/** Modified Bessel function of the first kind, order 0, by its power series. */
function besselI0(x: number): number {
  const quarter = (x * x) / 4;
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-17; k += 1) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));

const unsupportedRates = (from: number, to: number): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `expected a usual sample rate to convert to ${to} Hz, received ${from} Hz`);
