/** What makes a poor prompt or reference, told before minutes are spent on it. */
import { SvcError } from '../errors.ts';
import { assertFits, type EncoderInput } from './resample.ts';
import type { Audio } from './wav.ts';

/** Less can't hold a word. Model 1 cuts what it makes by two patches after a prompt, which is as long. */
export const shortestSeconds = 0.3;
/** Seconds between which a voice is heard well; the official interfaces recommend such recordings. */
const shortest = 1;
const longest = 30;
/** A frame of 20 ms below this root mean square (-50 dB) is silence. */
const silentLevel = 10 ** (-50 / 20);
const framesPerSecond = 50;
const mostlySilent = 0.6;
/** Samples that a full scale recording has by chance are rarer. */
const clippedLevel = 0.999;
const mostClipped = 0.001;

/**
 * Warnings about audio that a model will take but not do well with, one line each.
 *
 * @throws SvcError INVALID_REQUEST when it can't work: no samples, all of them zero, too short for a word, or longer than
 *   the model holds.
 */
export function checkPrompt(audio: Audio, model: EncoderInput, role: 'prompt' | 'reference'): readonly string[] {
  const name = `${role} audio`;
  const { samples, sampleRate } = audio;
  assertSound(audio, name);
  assertFits(audio, model);
  const seconds = samples.length / sampleRate;
  if (seconds < shortestSeconds) {
    const expected = `at least ${shortestSeconds} seconds for ${name} (3 to 30 seconds sound best)`;
    throw new SvcError('INVALID_REQUEST', `expected ${expected}, received ${seconds.toFixed(2)} seconds`);
  }
  const silent = silentPart(samples, Math.max(1, Math.round(sampleRate / framesPerSecond)));
  const clipped = countClipped(samples);
  const rate = model.inputSampleRate;
  const findings: readonly (readonly [boolean, string])[] = [
    [seconds < shortest, `is only ${seconds.toFixed(2)} seconds long, 3 to 30 seconds sound best`],
    [seconds > longest, `is ${Math.round(seconds)} seconds long, 3 to 30 seconds sound best`],
    [silent > mostlySilent, `is silent for ${Math.round(silent * 100)} % of its length`],
    [clipped > samples.length * mostClipped, 'is clipped, a quieter recording sounds better'],
    [sampleRate < rate, `has ${sampleRate} Hz, less than the ${rate} Hz of the model, and sounds muffled`],
  ];
  return findings.filter(([found]) => found).map(([, what]) => `the ${name} ${what}`);
}

/** @throws SvcError INVALID_REQUEST for no samples, and for nothing but zeros */
export function assertSound({ samples }: Audio, name: string): void {
  for (let index = 0; index < samples.length; index += 1) if (samples[index] !== 0) return;
  const received = samples.length === 0 ? 'no samples' : 'silence';
  throw new SvcError('INVALID_REQUEST', `expected speech for ${name}, received ${received}`);
}

/** Fraction of the frames that are silence; the last may be short. */
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

/** As a loop, like the one above: callbacks take ten times as long, and a recording may have millions of samples. */
function countClipped(samples: Float32Array): number {
  let count = 0;
  for (let index = 0; index < samples.length; index += 1) {
    if (Math.abs(samples[index] as number) >= clippedLevel) count += 1;
  }
  return count;
}
