import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { WeightType } from '../../export/gguf/tensor-types.ts';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { expectErrorsWithin } from '../support/relative-errors.ts';
import { withExported } from './compare.ts';
import { Comparison, finiteOnly } from './comparison.ts';
import { recordedOutputs } from './recorded-outputs.ts';

const directory = join(process.cwd(), 'tests', 'fixtures', 'tiny-v2');
const comparison = new Comparison(directory, finiteOnly, () => {});

/** Outputs of the stages for the recorded inputs, and the first patch of a run. */
async function computeStages(type: WeightType): Promise<Record<string, Float32Array>> {
  return await withExported(join(directory, 'checkpoint'), type, async (path) => {
    const backend = await openNativeBackend(path, { backend: 'cpu', threads: 1 });
    try {
      const settings = { timesteps: 10, cfg: 2, sway: 1, zeroStar: 1 };
      return await recordedOutputs(backend, backend.model, comparison, settings);
    } finally {
      await backend[Symbol.asyncDispose]();
    }
  });
}

/**
 * Upper bounds of the relative error against F32. The checkpoint is bfloat16, so BF16 loses nothing in the
 * matrices. Random weights are the worst case for block types, and rows of the tiny model are too short for
 * 256-element blocks, so Q4_K falls back to Q8_0 here.
 */
const bounds: readonly { readonly type: WeightType; readonly bound: number }[] = [
  { type: 'f16', bound: 0.005 },
  { type: 'bf16', bound: 0.02 },
  { type: 'q8_0', bound: 0.04 },
  { type: 'q4_k', bound: 0.04 },
];

describe('relative error of a weight type', () => {
  let reference: Record<string, Float32Array>;
  const errors: string[] = [];
  beforeAll(async () => {
    reference = await computeStages('f32');
  });
  afterAll(() => console.log(errors.join('\n')));

  it.each(bounds)('$type stays below $bound in every stage', async ({ type, bound }) => {
    const computed = await computeStages(type);
    const found = Object.entries(expectErrorsWithin(bound, computed, reference));
    errors.push(...found.map(([stage, error]) => `${type.padEnd(5)} ${stage.padEnd(14)} ${error.toExponential(2)}`));
  });
});
