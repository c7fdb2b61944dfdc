/** Several models in one process compute as if alone. */
import { expect, it } from '@jest/globals';
import { testableKernels } from '../../support/kernels.ts';
import { fixture, runChild } from './child.ts';

it.each(['ggml', ...testableKernels].flatMap((kernels) => [[kernels, 1] as const, [kernels, 2] as const]))(
  'gives two models at once what each gives alone (kernels %s, threads %d)',
  async (kernels, threads) => {
    // ggml's barriers spin: with two threads on a busy machine, a step takes seconds.
    const steps = kernels === 'ggml' && threads > 1 ? 2 : 6;
    const outcome = await runChild('two-engines.mjs', [
      kernels,
      threads,
      steps,
      fixture('tiny-v1'),
      fixture('tiny-v2'),
    ]);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    const { values, differing } = JSON.parse(outcome.stdout);
    expect(Math.min(...values)).toBeGreaterThan(1000);
    expect(differing).toEqual([0, 0]);
  },
);
