/**
 * Sample rate conversion as the official code does it before the audio encoder: model 1 by torchaudio, whose numbers are
 * reproduced, model 2 by soxr (`librosa.load`), to which FFmpeg's resampler comes within 5e-5.
 */
import { SvcError } from '../errors.ts';
import { resampleByLibrary } from './library-resample.ts';
import { resampleAsTorchaudio } from './torchaudio-resample.ts';
import type { Audio } from './wav.ts';

/** As of WAV files; filters for more would take memory without end. */
const highestRate = 768_000;

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
 * Mono samples of a prompt or reference at the model's input rate, not yet padded to whole patches; those that came when
 * they have it already.
 *
 * @throws SvcError INVALID_REQUEST as `assertFits`; UNSUPPORTED_AUDIO for a rate that is no whole number from 1 to
 *   768,000; BACKEND_UNAVAILABLE when the library is missing.
 */
export async function loadPrompt(audio: Audio, model: EncoderInput): Promise<Float32Array> {
  const { samples, sampleRate: from } = audio;
  const { architecture, inputSampleRate: to } = model;
  if (!Number.isSafeInteger(from) || from <= 0 || from > highestRate) {
    throw new SvcError(
      'UNSUPPORTED_AUDIO',
      `expected 1 to ${highestRate} Hz for the sample rate of audio, received ${from}`,
    );
  }
  assertFits(audio, model);
  if (from === to) return samples;
  return architecture === 'voxcpm' ? resampleAsTorchaudio(samples, from, to) : resampleByLibrary(samples, from, to);
}
