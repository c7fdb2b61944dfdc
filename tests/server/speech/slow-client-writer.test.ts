import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Job } from '../../../src/admission/queue.ts';
import type { ServerLimits } from '../../../src/server/context/settings.ts';
import { createSlowClientWriter } from '../../../src/server/speech/slow-client-writer.ts';
import { turns } from '../../support/turns.ts';

const limits = { pauseMilliseconds: 1_000, stallMilliseconds: 30_000 } as ServerLimits;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Writes a byte to a client that reads after some time, or never. */
function write(reads: number) {
  const calls: string[] = [];
  const job = {
    signal: new AbortController().signal,
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  } as unknown as Job;
  const writer = createSlowClientWriter(job, limits, () => new Promise((resolve) => setTimeout(resolve, reads)));
  const written = writer(Uint8Array.of(1)).then(() => 'written');
  return { calls, written: written.catch((error: Error) => error.message) };
}

it('gives up the slot while a client is slow, and takes it again', async () => {
  const { calls, written } = write(1_500);
  jest.advanceTimersByTime(999);
  expect(calls).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(calls).toEqual(['pause']);
  jest.advanceTimersByTime(500);
  expect(await written).toBe('written');
  expect(calls).toEqual(['pause', 'resume']);
});

it('keeps the slot for a client that reads', async () => {
  const { calls, written } = write(500);
  jest.advanceTimersByTime(500);
  expect(await written).toBe('written');
  jest.advanceTimersByTime(60_000);
  await turns();
  expect(calls).toEqual(['resume']);
});

it('ends the speech of a client that reads nothing', async () => {
  const { calls, written } = write(1e9);
  jest.advanceTimersByTime(30_000);
  expect(await written).toBe('the client read nothing for 30 s');
  expect(calls).toEqual(['pause', 'resume']);
});
