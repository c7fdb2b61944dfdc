/** Threads take work from each other, but the results don't depend on who computes what. */
import { expect, it } from '@jest/globals';
import { testableKernels } from '../../support/kernels.ts';
import { fixture, runChild } from './child.ts';

it.each(testableKernels.flatMap((kernels) => ['tiny-v1', 'tiny-v2'].map((name) => [name, kernels] as const)))(
  'computes the same with any number of threads (%s, %s)',
  async (name, kernels) => {
    const outcome = await runChild('thread-counts.mjs', [fixture(name), kernels, 2, 3, 8]);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    const { values, differing, phases } = JSON.parse(outcome.stdout);
    expect(values).toBeGreaterThan(1000);
    expect(differing).toEqual([0, 0, 0]);
    // nor how often they wait for each other
    expect(phases[0]).toBeGreaterThan(0);
    expect(new Set(phases).size).toBe(1);
  },
);
