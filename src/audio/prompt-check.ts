/** Finds problems of a prompt or reference before it is used. */
import { SvcError } from '../errors.ts';
import { assertFits, type EncoderInput } from './resample.ts';
import type { Audio } from './wav.ts';

/** Too short for a word. Model 1 also cuts two patches after a prompt, which is as long. */
export const shortestSeconds = 0.3;
/** Range in seconds that captures a voice well, as recommended by the official interfaces. */
const shortest = 1;
const longest = 30;
/** A frame of 20 ms below this root mean square (-50 dB) is silence. */
const silentLevel = 10 ** (-50 / 20);
const framesPerSecond = 50;
const mostlySilent = 0.6;
/** Clipping: more samples near full scale than an undistorted recording has. */
const clippedLevel = 0.999;
const mostClipped = 0.001;

/**
 * Checks audio and returns warnings if the result may be poor, one line each.
 *
 * @throws SvcError INVALID_REQUEST if it is empty, silent, too short for a word, or too long for the model
 */
export function checkPrompt(audio: Audio, model: EncoderInput, role: 'prompt' | 'reference'): readonly string[] {
  const name = `${role} audio`;
  const { samples, sampleRate } = audio;
  assertHeard(audio, name);
  assertFits(audio, model);
  const seconds = samples.length / sampleRate;
  const silent = silentPart(samples, Math.max(1, Math.round(sampleRate / framesPerSecond)));
  const clipped = countClipped(samples);
  const rate = model.inputSampleRate;
  const findings: readonly (readonly [boolean, string])[] = [
    [seconds < shortest, `is only ${seconds.toFixed(2)} seconds long; 3 to 30 seconds sound best`],
    [seconds > longest, `is ${Math.round(seconds)} seconds long; 3 to 30 seconds sound best`],
    [silent > mostlySilent, `is silent for ${Math.round(silent * 100)} % of its length`],
    [clipped > samples.length * mostClipped, 'is clipped; a quieter recording sounds better'],
    [
      sampleRate < rate,
      `has a sample rate of ${sampleRate} Hz, less than the ${rate} Hz of the model, and will sound muffled`,
    ],
  ];
  return findings.filter(([found]) => found).map(([, what]) => `the ${name} ${what}`);
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

/** Fraction of silent frames; the last frame may be shorter. */
function silentPart(samples: Float32Array, frameLength: number): number {
  const frames = Math.ceil(samples.length / frameLength);
  let silent = 0;
  for (let frame = 0; frame < frames; frame += 1) {
    const end = Math.min(samples.length, (frame + 1) * frameLength);
    let energy = 0;
    for (let index = frame * frameLength; index < end; index += 1) energy += (samples[index] as number) ** 2;
    if (Math.sqrt(energy / (end - frame * frameLength)) < silentLevel) silent += 1;
  }
  return silent / frames;
}

/** A loop, like the one above: callbacks are ten times slower, and a recording may have millions of samples. */
function countClipped(samples: Float32Array): number {
  let count = 0;
  for (let index = 0; index < samples.length; index += 1) {
    if (Math.abs(samples[index] as number) >= clippedLevel) count += 1;
  }
  return count;
}
