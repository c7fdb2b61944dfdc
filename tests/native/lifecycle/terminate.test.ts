/** Terminates Node.js worker threads while their models compute. */
import { expect, it } from '@jest/globals';
import { rounds } from '../../support/rounds.ts';
import { fixture, runChild } from './child.ts';

it.each([
  [rounds(10, 50), 'threads only'],
  [rounds(10, 50), 'main too'],
])('survives %d worker.terminate() during steps, and frees the models (addon in %s)', async (count, where) => {
  const outcome = await runChild('terminate.mjs', [fixture('tiny-v2'), count, where]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  const { early, late } = JSON.parse(outcome.stdout);
  // Half of the models came later. Each takes 4 MB with its session.
  expect(late - early).toBeLessThan((count / 2) * 3);
});

it('exits by process.exit() while a worker thread computes', async () => {
  for (let round = 0; round < rounds(2, 5); round++) {
    expect((await runChild('terminate.mjs', [fixture('tiny-v2'), 0, 'main exits'])).code).toBe(7);
  }
});
