import { describe, expect, it } from '@jest/globals';
import { checkPrompt } from '../../../src/audio/analyze/prompt-check.ts';
import { errorOf } from '../../support/errors.ts';
import { tone } from '../tone.ts';
import { promptModel as model } from './prompt-model.ts';

const check = (samples: Float32Array, sampleRate = 16_000): readonly string[] =>
  checkPrompt({ samples, sampleRate, channels: 1 }, model, 'prompt');

const joined = (...parts: readonly Float32Array[]): Float32Array =>
  Float32Array.from(parts.flatMap((part) => [...part]));

const silentFor = (percent: number): string => `the prompt audio is silent for ${percent} % of its length`;

describe('checkPrompt', () => {
  it.each([1, 5, 30])('has no warning for %d good seconds', (seconds) => {
    expect(check(tone(220, seconds, 16_000))).toEqual([]);
    expect(check(tone(220, seconds, 48_000), 48_000)).toEqual([]);
  });

  it.each([
    ['short', tone(220, 0.4, 16_000), 'the prompt audio is only 0.40 seconds long; 3 to 30 seconds sound best'],
    ['long', tone(220, 31, 16_000), 'the prompt audio is 31 seconds long; 3 to 30 seconds sound best'],
    ['mostly silent', joined(tone(220, 1, 16_000), new Float32Array(48_000)), silentFor(75)],
    ['very quiet', tone(220, 2, 16_000).map((sample) => sample / 500), silentFor(100)],
    [
      'clipped',
      tone(220, 2, 16_000).map((sample) => Math.max(-1, Math.min(1, sample * 4))),
      'the prompt audio is clipped; a quieter recording sounds better',
    ],
  ])('warns if it is %s', (_name, samples, warning) => {
    expect(check(samples)).toEqual([warning]);
  });

  it('refuses recordings that are too short', () => {
    expect(() => check(tone(220, 0.2, 16_000))).toThrow(
      'prompt audio must be at least 0.3 seconds long, got 0.20; 3 to 30 seconds sound best',
    );
    expect(check(tone(220, 0.3, 16_000))).toHaveLength(1);
  });

  it("warns about a sample rate below the model's", () => {
    expect(check(tone(220, 2, 8_000), 8_000)).toEqual([
      'the prompt audio has a sample rate of 8000 Hz, less than the 16000 Hz of the model, and will sound muffled',
    ]);
  });

  it('names the role, and reports all problems', () => {
    const audio = { samples: tone(220, 0.4, 8_000), sampleRate: 8_000, channels: 2 };
    const warnings = checkPrompt(audio, model, 'reference');
    expect(warnings).toHaveLength(2);
    expect(warnings.every((warning) => warning.startsWith('the reference audio '))).toBe(true);
  });

  it('allows loud peaks', () => {
    const samples = tone(220, 2, 16_000);
    samples.fill(1, 100, 110);
    expect(check(samples)).toEqual([]);
  });

  it.each([
    ['no samples', new Float32Array(0), 'prompt audio is empty'],
    ['silence', new Float32Array(32_000), 'prompt audio is silent'],
    [
      '10 minutes',
      new Float32Array(600 * 16_000).fill(0.1),
      'prompt or reference audio must be at most 327 seconds long, got 600',
    ],
  ])('refuses %s', (_name, samples, message) => {
    expect(() => check(samples)).toThrow(errorOf('INVALID_REQUEST', message));
  });
});
