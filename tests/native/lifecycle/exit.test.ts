/** Exits while models compute. */
import { expect, it } from '@jest/globals';
import { rounds } from '../../support/rounds.ts';
import { fixture, runChild } from './child.ts';

/** Runs of a program, two at a time. */
async function runMany(count: number, run: (index: number) => Promise<unknown>): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      outcomes[index] = await run(index);
    }
  };
  await Promise.all([lane(), lane()]);
  return outcomes;
}

it.each([
  ['process.exit()', 'exit', 7],
  ['an uncaught exception', 'throw', 1],
])('exits by %s during a step with its own code, again and again', async (_, how, code) => {
  const count = rounds(4, 50);
  const outcomes = await runMany(count, async (index) => {
    const outcome = await runChild('exit.mjs', [fixture('tiny-v2'), 1 + (index % 2), (index * 17 + 3) % 60, how]);
    return outcome.code;
  });
  expect(outcomes).toEqual(Array(count).fill(code));
});

it('exits by process.exit() while loading a model', async () => {
  const count = rounds(2, 10);
  const outcomes = await runMany(
    count,
    async (index) => (await runChild('exit-loading.mjs', [fixture('tiny-v2'), (index * 10) / count])).code,
  );
  expect(outcomes).toEqual(Array(count).fill(7));
});
