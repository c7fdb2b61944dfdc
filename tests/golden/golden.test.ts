import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runnableKernels } from '../support/kernels.ts';
import { compareGolden } from './compare.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');

/** Fewest checks that a complete comparison makes; guards against a comparison that compares nothing. */
const models = [
  { name: 'tiny-v1', checks: 300 },
  { name: 'tiny-v15', checks: 300 },
  { name: 'tiny-v2', checks: 350 },
] as const;

/** With heads of whole blocks, as published models have them; no tokenizer cases. */
const wideHeads = [
  { name: 'tiny-h64', checks: 200 },
  { name: 'tiny-h128', checks: 250 },
] as const;

describe('golden data of the original', () => {
  it.each(models)('$name: the exported checkpoint meets every entry', async ({ name, checks }) => {
    const directory = join(fixtures, name);
    const comparison = await compareGolden({ directory, type: 'f32', backend: 'cpu', threads: 1 });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(checks);
  });

  it.each(models)('$name: the file of VoxCPM.cpp meets every entry', async ({ name, checks }) => {
    const directory = join(fixtures, name);
    const model = join(fixtures, `peer-${name}.gguf`);
    const comparison = await compareGolden({ directory, model, type: 'f32', backend: 'cpu', threads: 1 });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(checks);
  });
  // The others than the best of this processor, as far as every processor has them.
  it.each(['portable', 'ggml'])('%s kernels meet every entry', async (kernels) => {
    const directory = join(fixtures, 'tiny-v2');
    const comparison = await compareGolden({ directory, type: 'f32', backend: 'cpu', threads: 1, kernels });
    expect(comparison.failures).toEqual([]);
  });

  describe.each(wideHeads)('$name', ({ name, checks }) => {
    it.each([...runnableKernels, 'ggml'])('%s kernels meet every entry', async (kernels) => {
      const directory = join(fixtures, name);
      // Complete runs take long without vector instructions, and repeat what the stages compute.
      const runs = kernels === runnableKernels[0] ? {} : { runs: ['cont'] };
      const options = { directory, type: 'f32', backend: 'cpu', threads: 1, kernels, ...runs } as const;
      const comparison = await compareGolden(options);
      expect(comparison.failures).toEqual([]);
      if (kernels === runnableKernels[0]) expect(comparison.checks.length).toBeGreaterThan(checks);
    });
  });
});
