import { describe, expect, it } from '@jest/globals';
import { flowEvaluations } from '../../src/bench/roofline.ts';
import { growth, median, medianOf, quantile, sum } from '../../src/bench/statistics.ts';

describe('statistics', () => {
  it('takes the median of odd and even counts', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('interpolates linearly', () => {
    expect(quantile([0, 10, 20, 30, 40], 0.1)).toBe(4);
    expect(quantile([7], 0.9)).toBe(7);
  });

  it('sums', () => expect(sum([1, 2, 3])).toBe(6));

  it('compares the last quarter with the first', () => {
    expect(growth([2, 2, 9, 9, 9, 9, 4, 4])).toBe(2);
    expect(growth([5, 5])).toBe(1);
  });
});

describe('medianOf', () => {
  it('takes medians of numbers, also nested ones, and the first of other values', () => {
    const runs = [
      { name: 'a', time: 3, stages: { flow: 1 } },
      { name: 'b', time: 1, stages: { flow: 5 } },
      { name: 'c', time: 2, stages: { flow: 3 } },
    ];
    expect(medianOf(runs)).toEqual({ name: 'a', time: 2, stages: { flow: 3 } });
  });

  it('takes the median of the runs that have the number', () => {
    expect(medianOf<{ readonly time: number | null }>([{ time: null }, { time: 4 }])).toEqual({ time: 4 });
    expect(medianOf<{ readonly time: number | null }>([{ time: null }])).toEqual({ time: null });
  });
});

describe('flowEvaluations', () => {
  // As in the golden runs: `flow` with 10 timesteps calls its network 9 times.
  it.each([
    [10, 9],
    [2, 1],
    [1, 0],
    [50, 48],
  ])('%i timesteps: %i evaluations', (timesteps, evaluations) => {
    expect(flowEvaluations(timesteps)).toBe(evaluations);
  });
});
