/** Threads take work from each other, but the results don't depend on who computes what. */
import { expect, it } from '@jest/globals';
import { testableKernels } from '../../support/kernels.ts';
import { rounds } from '../../support/rounds.ts';
import { fixture, runChild } from './child.ts';

const models = ['tiny-v1', 'tiny-v2'];
const all = testableKernels.flatMap((kernels) => models.map((name) => [name, kernels] as const));
/** Each of the kernels with one of the models, by turns. */
const few = all.filter((_, index) => index % 4 === 1 || index % 4 === 2);

it.each(rounds(few, all))('computes the same with any number of threads (%s, %s)', async (name, kernels) => {
  const counts = rounds([2, 7], [2, 3, 8]);
  const outcome = await runChild('thread-counts.mjs', [fixture(name), kernels, ...counts]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  const { values, differing, phases } = JSON.parse(outcome.stdout);
  expect(values).toBeGreaterThan(1000);
  expect(differing).toEqual(counts.map(() => 0));
  // nor how often they wait for each other
  expect(phases[0]).toBeGreaterThan(0);
  expect(new Set(phases).size).toBe(1);
});
