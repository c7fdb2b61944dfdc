/** A worker thread of Node may be terminated while its models compute. */
import { expect, it } from '@jest/globals';
import { fixture, runChild } from './child.ts';

it.each([
  [50, 'threads only'],
  [50, 'main too'],
])('survives %d worker.terminate() in mid-step, and frees their models (addon in %s)', async (rounds, where) => {
  const outcome = await runChild('terminate.mjs', [fixture('tiny-v2'), rounds, where]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  const { early, late } = JSON.parse(outcome.stdout);
  // a model and its session are 4 MB each
  expect(late - early).toBeLessThan(40);
});

it('ends by process.exit() while a worker thread computes', async () => {
  for (let round = 0; round < 5; round++) {
    expect((await runChild('terminate.mjs', [fixture('tiny-v2'), 0, 'main exits'])).code).toBe(7);
  }
});
