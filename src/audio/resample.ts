/**
 * Sample rate conversion as the official code does it before the audio encoder.
 *
 * Model 1 uses `torchaudio.functional.resample` with its defaults, and its results are reproduced here:
 * a polyphase Hann-windowed sinc. No JavaScript library computes those numbers, which is why this is
 * written out. Model 2 uses soxr (`librosa.load`); the same filter bank with the Kaiser parameters that
 * torchaudio documents as `kaiser_best` comes within 3e-4 of it.
 */
import { SvcError } from '../errors.ts';
import { convolve, createFilterBank, type ResampleKind, ratioOf } from './filter-bank.ts';
import type { Audio } from './wav.ts';

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
  const { step, phases } = ratioOf(from, to);
  const bank = createFilterBank(step, phases, kind);
  if (Math.min(phases, samples.length) * bank.taps > maxCoefficients) throw unsupportedRates(from, to);

  const output = new Float32Array(Math.ceil((samples.length * to) / from));
  for (let index = 0; index < output.length; index += 1) {
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

const unsupportedRates = (from: number, to: number): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `expected a usual sample rate to convert to ${to} Hz, received ${from} Hz`);
