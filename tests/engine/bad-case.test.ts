import { describe, expect, it } from '@jest/globals';
import { attemptSeed, createSoundCheck, isBadCase, isTooShort } from '../../src/engine/bad-case.ts';
import { cases } from './cases.ts';

describe('isBadCase', () => {
  it.each([
    [59, 10, 6, false],
    [60, 10, 6, true],
    [5, 1, 6, false],
    [6, 1, 6, true],
    [60, 10, 7, false],
    [25, 10, 2.5, true],
  ])('%i patches for %i tokens at a ratio of %d: %s', (patches, tokens, ratio, bad) => {
    expect(isBadCase(patches, tokens, ratio)).toBe(bad);
  });
});

describe('isTooShort', () => {
  it.each(cases('too short'))('$case s for $given: $expected', ({ case: seconds, given, expected }) => {
    expect(String(isTooShort(Number(seconds), given))).toBe(expected);
  });
});

describe('a sound check', () => {
  const check = (...pieces: readonly Float32Array[]) => {
    const sound = createSoundCheck({ outputSampleRate: 1000 });
    for (const piece of pieces) sound.push(piece);
    return sound;
  };

  it('measures from the first sound to the last', () => {
    const silence = new Float32Array(100);
    const tone = new Float32Array(50).fill(0.1);
    expect(check(silence, tone, silence, tone, silence).soundSeconds()).toBeCloseTo(0.2);
    expect(check(silence).soundSeconds()).toBe(0);
  });

  it.each([
    ['loud speech', (index: number) => 0.99 * Math.sin(index / 3), false],
    ['single peaks', (index: number) => (index % 2000 === 0 ? 1 : 0.1), false],
    ['many peaks', (index: number) => (index % 500 === 0 ? -1 : 0.1), true],
    ['a stretch', (index: number) => (index < 6 ? 0.9995 : 0.1), true],
  ])('hears whether it is clipped: %s', (_, at, clipped) => {
    expect(check(Float32Array.from({ length: 10_000 }, (_value, index) => at(index))).isClipped()).toBe(clipped);
  });
});

describe('attemptSeed', () => {
  it('increments and stays within 32 bits', () => {
    expect([0, 1, 2].map((attempt) => attemptSeed(0xfffffffe, attempt))).toEqual([0xfffffffe, 0xffffffff, 0]);
  });
});
