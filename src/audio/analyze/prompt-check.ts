/** Finds problems of a prompt or reference before it is used. */
import { SvcError } from '../../errors.ts';
import type { Audio } from '../audio.ts';
import { assertFits, type EncoderInput } from '../resample/resample.ts';
import { measureRecording, qualityWarnings } from './recording-quality.ts';

/** Too short for a word. Model 1 also cuts two patches after a prompt, which is as long. */
export const shortestSeconds = 0.3;

/** Warnings if the result may be poor. @throws SvcError INVALID_REQUEST if the audio can't work with the model */
export function checkPrompt(
  audio: Audio,
  model: EncoderInput,
  role: 'prompt' | 'reference',
  denoiser?: string,
): readonly string[] {
  assertAudible(audio, `${role} audio`);
  assertFits(audio, model);
  return recordingWarnings(audio, model, role, denoiser);
}

/** Why the result may be poor, one line each. */
export function recordingWarnings(
  audio: Audio,
  { inputSampleRate: rate }: Pick<EncoderInput, 'inputSampleRate'>,
  role: 'prompt' | 'reference',
  denoiser?: string,
): readonly string[] {
  const { sampleRate } = audio;
  const muffled = `has a sample rate of ${sampleRate} Hz, less than the ${rate} Hz of the model, and will sound muffled`;
  const found = [...qualityWarnings(measureRecording(audio), denoiser), ...(sampleRate < rate ? [muffled] : [])];
  return found.map((what) => `the ${role} audio ${what}`);
}

/** @throws SvcError INVALID_REQUEST if it is empty, silent or too short for a word, whatever the model */
export function assertAudible(audio: Audio, name: string): void {
  assertSound(audio, name);
  const seconds = audio.samples.length / audio.sampleRate;
  if (seconds >= shortestSeconds) return;
  const problem = `${name} must be at least ${shortestSeconds} seconds long, got ${seconds.toFixed(2)}`;
  throw new SvcError('INVALID_REQUEST', `${problem}; 3 to 30 seconds sound best`);
}

/** @throws SvcError INVALID_REQUEST if there are no samples or all are zero */
export function assertSound({ samples }: Audio, name: string): void {
  for (let index = 0; index < samples.length; index += 1) if (samples[index] !== 0) return;
  throw new SvcError('INVALID_REQUEST', `${name} is ${samples.length === 0 ? 'empty' : 'silent'}`);
}
