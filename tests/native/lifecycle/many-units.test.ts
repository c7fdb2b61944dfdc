import { expect, it } from '@jest/globals';
import { fixture, runChild } from './child.ts';

it('computes a pass of more units than a thread can count', async () => {
  const outcome = await runChild('many-units.mjs', [fixture('tiny-v1'), 1]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  const { values, difference } = JSON.parse(outcome.stdout);
  expect(values).toBeGreaterThan(0);
  expect(difference).toBeLessThan(1e-4);
});
