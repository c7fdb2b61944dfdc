/** The CUDA kernels on a model of the GPU, which only the addon of a clone on Linux has. */
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { createTokenizer } from '../../src/engine/text/tokenizer.ts';
import { promptPatches } from './audio.ts';
import { factorsFor } from './compare.ts';
import { Comparison } from './comparison.ts';
import { compareRuns } from './runs.ts';
import { compareStages } from './stages.ts';
import { fixtures } from './tiny-models.ts';

// One checkpoint and a short run: threads of a GPU as fibers are slow. tests/system/simt.test.ts has all else.
it.each(process.platform === 'linux' ? ['tiny-v1'] : [])('%s: stages and a run match', async (name) => {
  const directory = join(fixtures, name);
  const comparison = new Comparison(directory, factorsFor({ type: 'f32', backend: 'cpu', kernels: 'simt' }), () => {});
  const options = { backend: 'cpu', threads: 1, kernels: 'simt' } as const;
  await using backend = await openNativeBackend(join(fixtures, `peer-${name}.gguf`), options);
  await compareStages(backend.model, comparison);
  const prompts = promptPatches(directory, backend);
  const tokenizer = createTokenizer((key) => backend.metadata(key));
  await compareRuns({ backend, tokenizer, prompts, comparison }, ['zs_n4_cfg1']);
  expect(comparison.failures).toEqual([]);
  expect(comparison.checks.length).toBeGreaterThan(60);
});
