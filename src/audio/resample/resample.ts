/**
 * Sample rate conversion before the audio encoder, like the official code: model 1 uses torchaudio, reproduced here
 * exactly; model 2 uses soxr (`librosa.load`), which FFmpeg's resampler matches within 5e-5.
 */
import { SvcError } from '../../errors.ts';
import type { Audio } from '../audio.ts';
import { resampleByLibrary } from './library-resample.ts';
import { resampleAsTorchaudio } from './torchaudio-resample.ts';

/** Maximum sample rate of WAV files; filters for higher rates would take unbounded memory. */
const highestRate = 768_000;

/** Properties of a model needed by `loadPrompt`. */
export interface EncoderInput {
  readonly architecture: 'voxcpm' | 'voxcpm2';
  readonly inputSampleRate: number;
  readonly inputPatchSamples: number;
  readonly contextLength: number;
}

/** @throws SvcError INVALID_REQUEST if the audio alone exceeds the context of the model */
export function assertFits(audio: Audio, model: EncoderInput): void {
  const seconds = audio.samples.length / audio.sampleRate;
  const limit = (model.contextLength * model.inputPatchSamples) / model.inputSampleRate;
  if (seconds <= limit) return;
  throw new SvcError(
    'INVALID_REQUEST',
    `prompt or reference audio must be at most ${Math.floor(limit)} seconds long, got ${Math.ceil(seconds)}`,
  );
}

/** @throws SvcError UNSUPPORTED_AUDIO unless the sample rate is an integer from 1 to 768,000 */
export function assertRate({ sampleRate }: Pick<Audio, 'sampleRate'>): void {
  if (Number.isSafeInteger(sampleRate) && sampleRate > 0 && sampleRate <= highestRate) return;
  throw new SvcError(
    'UNSUPPORTED_AUDIO',
    `the sample rate of audio must be an integer from 1 to ${highestRate} Hz, got ${sampleRate}`,
  );
}

/**
 * Resamples a prompt or reference to the model's input rate, without padding to whole patches. Returns the same array
 * if no conversion is needed.
 *
 * @throws SvcError like `assertRate` and `assertFits`; BACKEND_UNAVAILABLE if the library is missing
 */
export async function loadPrompt(audio: Audio, model: EncoderInput): Promise<Float32Array> {
  const { samples, sampleRate: from } = audio;
  const { architecture, inputSampleRate: to } = model;
  assertRate(audio);
  assertFits(audio, model);
  if (from === to) return samples;
  return architecture === 'voxcpm' ? resampleAsTorchaudio(samples, from, to) : resampleByLibrary(samples, from, to);
}
