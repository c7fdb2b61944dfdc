import { expect, it, jest } from '@jest/globals';
import { createRetryAdvice } from '../../src/admission/retry-advice.ts';

it('has refused clients come back one after the other, as places become free', () => {
  const advice = createRetryAdvice();
  // Jobs of two seconds, as long as none has ended: five of ten places are free in each second.
  const seconds = Array.from({ length: 100 }, () => advice.secondsBehindOthers(10));
  expect(seconds.toSorted((a, b) => a - b)).toEqual(seconds);
  expect([seconds[0], seconds.at(-1)]).toEqual([1, expect.closeTo(20, -1)]);
  for (let second = 2; second < 19; second += 1) {
    const count = seconds.filter((each) => each === second).length;
    expect([second, count >= 4 && count <= 6]).toEqual([second, true]);
  }
});

it('spreads more clients than there are times evenly', () => {
  const advice = createRetryAdvice();
  const seconds = Array.from({ length: 600 }, () => advice.secondsBehindOthers(10));
  expect(Math.max(...seconds)).toBe(60);
  for (let second = 1; second <= 60; second += 1) {
    expect(seconds.filter((each) => each === second).length).toBeLessThanOrEqual(12);
  }
});

it('counts the time of a job without what it spent without a slot', () => {
  const advice = createRetryAdvice();
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const end = advice.begin();
  now.mockReturnValue(10_000);
  end(8);
  now.mockRestore();
  // As long as the two seconds that are assumed first.
  expect(advice.secondsFor(9, 1)).toBe(20);
});
