/** Several models in one process compute as if alone. */
import { expect, it } from '@jest/globals';
import { testableKernels } from '../../support/kernels.ts';
import { rounds } from '../../support/rounds.ts';
import { fixture, runChild } from './child.ts';

const all = ['ggml', ...testableKernels].flatMap((kernels) => [[kernels, 1] as const, [kernels, 2] as const]);
/** Each of the kernels with threads, and two of them without: those of ggml take seconds with two threads. */
const few = all.filter(([kernels, threads], index) =>
  kernels === 'ggml' ? threads === 1 : threads === 2 || index === 2,
);

it.each(rounds(few, all))(
  'gives two models at once what each gives alone (kernels %s, threads %d)',
  async (kernels, threads) => {
    // ggml's barriers spin: with two threads on a busy machine, a step takes seconds.
    const steps = kernels === 'ggml' && threads > 1 ? 2 : rounds(3, 6);
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
