import { getEventListeners } from 'node:events';
import { expect, it } from '@jest/globals';
import { untilAborted } from '../../../src/cancellation.ts';

const never = new Promise<never>(() => undefined);
const reason = new Error('stop');

it('rejects with the reason of a signal that fires before or during the work', async () => {
  await expect(untilAborted(AbortSignal.abort(reason), never)).rejects.toBe(reason);
  const controller = new AbortController();
  const waiting = untilAborted(controller.signal, never);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it.each([
  ['its result', () => Promise.resolve('done'), { status: 'fulfilled', value: 'done' }],
  ['its error', () => Promise.reject(reason), { status: 'rejected', reason }],
] as const)('passes on %s, and leaves no listener', async (_, work, outcome) => {
  const { signal } = new AbortController();
  const [settled] = await Promise.allSettled([untilAborted<string>(signal, work())]);
  expect(settled).toEqual(outcome);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
