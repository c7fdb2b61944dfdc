import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { runInFlight } from '../../../src/cli/batch/in-flight.ts';

const never = new AbortController().signal;

async function* numbers(count: number): AsyncGenerator<number, void, undefined> {
  for (let number = 0; number < count; number += 1) yield number;
}

describe('items in flight', () => {
  it('are each taken once, in their order, within a limit that changes', async () => {
    const taken: number[] = [];
    let running = 0;
    let limit = 4;
    const excess: number[] = [];
    const work = async (number: number): Promise<void> => {
      taken.push(number);
      running += 1;
      excess.push(running - limit);
      await wait(1 + (number % 3));
      running -= 1;
      // Below the number that is running, which ends by itself.
      if (number === 30) limit = 1;
      if (number === 60) limit = 8;
    };
    await runInFlight(numbers(100), () => limit, work, never);
    expect(taken).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(Math.max(...excess.slice(0, 28))).toBe(0);
  });

  it('are no longer taken after a cancellation', async () => {
    const controller = new AbortController();
    const taken: number[] = [];
    const work = async (number: number): Promise<void> => {
      taken.push(number);
      if (number === 5) controller.abort();
      await wait(1);
    };
    await runInFlight(numbers(100), () => 2, work, controller.signal);
    expect(taken.length).toBeLessThanOrEqual(7);
  });

  it('reject with the error of their source, after those that run have ended', async () => {
    async function* broken(): AsyncGenerator<number, void, undefined> {
      yield 1;
      throw new Error('unreadable');
    }
    let ended = 0;
    const work = async (): Promise<void> => {
      await wait(5);
      ended += 1;
    };
    await expect(runInFlight(broken(), () => 2, work, never)).rejects.toThrow('unreadable');
    expect(ended).toBe(1);
  });
});
