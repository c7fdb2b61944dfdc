import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportGguf } from '../../export/export-gguf.ts';
import { testableKernels } from '../support/kernels.ts';
import { rounds } from '../support/rounds.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { compareGolden } from './compare.ts';
import { fixtures, tinyModels } from './tiny-models.ts';

/** Heads of whole blocks, like published models; without tokenizer cases. */
const wideHeads = [
  // The portable kernels are slow, and have these heads in weight-types.test.ts.
  {
    name: 'tiny-h64',
    checks: 200,
    tested: [...testableKernels.filter((name) => rounds(name !== 'portable', true)), 'ggml'],
  },
  { name: 'tiny-h128', checks: 250, tested: rounds(testableKernels.slice(0, 1), [...testableKernels, 'ggml']) },
] as const;

describe('golden data of the official implementation', () => {
  it.each(tinyModels)('$name: the exported checkpoint matches every entry', async ({ name, checks }) => {
    const directory = join(fixtures, name);
    const comparison = await compareGolden({ directory, type: 'f32', backend: 'cpu', threads: 1 });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(checks);
  });

  it.each(tinyModels)('$name: the file of VoxCPM.cpp matches every entry', async ({ name, checks }) => {
    const directory = join(fixtures, name);
    const model = join(fixtures, `peer-${name}.gguf`);
    // The tensors are those of the exported checkpoint (tests/export/export-gguf.test.ts).
    const runs = rounds({ runs: ['cont'] }, {});
    const comparison = await compareGolden({ directory, model, type: 'f32', backend: 'cpu', threads: 1, ...runs });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(rounds(checks / 2, checks));
  });
  // Besides the best kernels of this processor, those that every processor has. Complete runs only repeat the stages.
  it.each(['portable', 'ggml'])('%s kernels match every entry', async (kernels) => {
    const directory = join(fixtures, 'tiny-v2');
    const options = { directory, type: 'f32', backend: 'cpu', threads: 1, kernels, runs: ['cont'] } as const;
    const comparison = await compareGolden(options);
    expect(comparison.failures).toEqual([]);
  });

  // Plain loops of double precision without ggml: the interface of executors is complete, and others can be judged by them.
  it.each(tinyModels)('$name: the reference executor matches every entry', async ({ name, checks }) => {
    const directory = join(fixtures, name);
    const model = join(fixtures, `peer-${name}.gguf`);
    const options = { directory, model, type: 'f32', backend: 'cpu', threads: 1, kernels: 'reference' } as const;
    const comparison = await compareGolden({ ...options, ...rounds({ runs: ['cont'] }, {}) });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(checks / 2);
  });

  describe.each(wideHeads)('$name', ({ name, checks, tested }) => {
    const directory = join(fixtures, name);
    const folder = sharedFolder();
    const model = join(folder, 'model.gguf');
    beforeAll(() => exportGguf({ checkpoint: join(directory, 'checkpoint'), output: model, type: 'f32' }));

    it.each(tested)('%s kernels match every entry', async (kernels) => {
      // Complete runs are slow without vector instructions and only repeat the stages.
      const runs = kernels === tested[0] ? {} : { runs: kernels === 'portable' ? [] : ['cont'] };
      const options = { directory, model, type: 'f32', backend: 'cpu', threads: 1, kernels, ...runs } as const;
      const comparison = await compareGolden(options);
      expect(comparison.failures).toEqual([]);
      if (kernels === tested[0]) expect(comparison.checks.length).toBeGreaterThan(checks);
    });
  });
});
