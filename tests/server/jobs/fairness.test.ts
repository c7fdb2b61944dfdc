import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createQueue } from '../../../src/admission/queue.ts';
import { defaultLimits } from '../../../src/server/context/settings.ts';
import { createFairness } from '../../../src/server/jobs/fairness.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const signal = new AbortController().signal;
// Requests of a test share it.
setMaxListeners(Number.POSITIVE_INFINITY, signal);

/** How long the first of the jobs keeps the only slot, in seconds, with patches of 0.1 s that each take `step` seconds. */
async function firstTurn(step: number, others: 'newcomers' | 'jobs that yielded'): Promise<number> {
  const queue = createQueue({ slots: 1, maxWaiting: 9 });
  const first = await queue.enter({ name: 'first', signal });
  const other = queue.enter({ name: 'other', signal });
  if (others === 'jobs that yielded') {
    void first.yieldToWaiting();
    void (await other).yieldToWaiting();
  }
  const began = performance.now();
  let isOver = false;
  const yieldToWaiting = async (): Promise<void> => {
    isOver = true;
  };
  const giveWay = createFairness({ ...first, yieldToWaiting }, defaultLimits);
  while (!isOver) {
    jest.advanceTimersByTime(1000 * step);
    void giveWay(0.1);
    await Promise.resolve();
  }
  return (performance.now() - began) / 1000;
}

it.each([
  ['twice as fast as real time', 0.05, 2.5, 10],
  ['slower than real time', 0.2, 2.5, 10],
  ['a hundred times as fast as real time', 0.001, 0.25, 1],
])('a job that is %s gives way to newcomers earlier than to others', async (_name, step, newcomers, others) => {
  expect(await firstTurn(step, 'newcomers')).toBeCloseTo(newcomers, 0.5);
  expect(await firstTurn(step, 'jobs that yielded')).toBeCloseTo(others, 0.5);
});
