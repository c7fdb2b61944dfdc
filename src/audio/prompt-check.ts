/** Finds problems of a prompt or reference before it is used. */
import { SvcError } from '../errors.ts';
import { measureRecording, shownDb } from './recording-quality.ts';
import { assertFits, type EncoderInput } from './resample.ts';
import type { Audio } from './wav.ts';

/** Too short for a word. Model 1 also cuts two patches after a prompt, which is as long. */
export const shortestSeconds = 0.3;
/** Range in seconds that captures a voice well, as recommended by the official interfaces. */
const shortest = 1;
const longest = 30;
const mostlySilent = 0.6;
/** More samples near full scale than an undistorted recording has. */
const mostClipped = 0.001;
const quietestDb = -36;
/** Speech of a good microphone in a quiet room is 30 dB above the background and more. */
const noisiestDb = 15;

/**
 * Checks audio and returns warnings if the result may be poor, one line each.
 *
 * @throws SvcError INVALID_REQUEST if it is empty, silent, too short for a word, or too long for the model
 */
export function checkPrompt(audio: Audio, model: EncoderInput, role: 'prompt' | 'reference'): readonly string[] {
  assertHeard(audio, `${role} audio`);
  assertFits(audio, model);
  return promptWarnings(audio, model, role);
}

/** Why the result may be poor, one line each. */
export function promptWarnings(
  audio: Audio,
  model: Pick<EncoderInput, 'inputSampleRate'>,
  role: 'prompt' | 'reference',
): readonly string[] {
  const { sampleRate } = audio;
  const { seconds, levelDb, snrDb, silent, clipped } = measureRecording(audio);
  const isSilent = silent > mostlySilent;
  const rate = model.inputSampleRate;
  const findings: readonly (readonly [boolean, string])[] = [
    [seconds < shortest, `is only ${seconds.toFixed(2)} seconds long; 3 to 30 seconds sound best`],
    [seconds > longest, `is ${Math.round(seconds)} seconds long; 3 to 30 seconds sound best`],
    [isSilent, `is silent for ${Math.round(silent * 100)} % of its length`],
    [!isSilent && levelDb < quietestDb, `is quiet (${shownDb(levelDb)}); a louder recording sounds better`],
    [
      snrDb !== undefined && snrDb < noisiestDb,
      `is noisy: the background is only ${Math.round(snrDb ?? 0)} dB below the speech; record in a quieter place`,
    ],
    [clipped > mostClipped, 'is clipped; a quieter recording sounds better'],
    [
      sampleRate < rate,
      `has a sample rate of ${sampleRate} Hz, less than the ${rate} Hz of the model, and will sound muffled`,
    ],
  ];
  return findings.filter(([found]) => found).map(([, what]) => `the ${role} audio ${what}`);
}

/** @throws SvcError INVALID_REQUEST if it is empty, silent or too short for a word, whatever the model */
export function assertHeard(audio: Audio, name: string): void {
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
