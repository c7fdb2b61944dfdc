import { expect, it } from '@jest/globals';
import { largest, smallest } from '../src/extremes.ts';

it('finds the largest and smallest of more values than a call takes arguments', () => {
  const values = Array.from({ length: 300_000 }, (_, index) => (index * 7_919) % 300_007);
  expect([largest(values), smallest(values)]).toEqual([Math.max(...values.slice(0, 9), 300_006), 0]);
});

it('has no value of none', () => {
  expect([largest([]), smallest(new Map<string, number>().values())]).toEqual([-Infinity, Infinity]);
});
