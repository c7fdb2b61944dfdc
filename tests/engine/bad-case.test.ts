import { describe, expect, it } from '@jest/globals';
import { attemptSeed, isBadCase } from '../../src/engine/bad-case.ts';

describe('isBadCase', () => {
  it.each([
    [59, 10, false],
    [60, 10, true],
    [5, 1, false],
    [6, 1, true],
  ])('%i patches for %i tokens: %s', (patches, tokens, bad) => {
    expect(isBadCase(patches, tokens, 6)).toBe(bad);
  });
});

describe('attemptSeed', () => {
  it('increments and stays within 32 bits', () => {
    expect([0, 1, 2].map((attempt) => attemptSeed(0xfffffffe, attempt))).toEqual([0xfffffffe, 0xffffffff, 0]);
  });
});
