import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { WeightType } from '../../export/gguf/tensor-types.ts';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { expectErrorsWithin } from '../support/relative-errors.ts';
import { withExported } from './compare.ts';
import { Comparison, finiteOnly } from './comparison.ts';
import { ofRank, transposed } from './layout.ts';
import { values } from './stages.ts';

const directory = join(process.cwd(), 'tests', 'fixtures', 'tiny-v2');
const comparison = new Comparison(directory, finiteOnly, () => {});

/** Outputs of the stages for the recorded inputs, and the first patch of a run. */
async function computeStages(type: WeightType): Promise<Record<string, Float32Array>> {
  return await withExported(join(directory, 'checkpoint'), type, async (path) => {
    const backend = await openNativeBackend(path, { backend: 'cpu', threads: 1 });
    try {
      const { model } = backend;
      const lm = { prefill: ofRank(comparison.tensor('lm.in_embeds'), 2) };
      const flow = {
        z: ofRank(transposed(comparison.tensor('cfm.z')), 2),
        mu: ofRank(comparison.tensor('cfm.mu'), 1),
        cond: ofRank(transposed(comparison.tensor('cfm.cond')), 2),
      };
      const settings = { timesteps: 10, cfg: 2, sway: 1, zeroStar: 1 };
      const run = comparison.golden.runs.zs;
      if (!run) throw new Error('the golden data has no run zs');
      const tokens = Int32Array.from(run.text_token);
      const prefix = { tokens, audioMask: new Uint8Array(tokens.length), features: new Float32Array(0) };
      const session = await backend.open(prefix, { cfg: run.cfg_value, timesteps: run.inference_timesteps });
      const noise = transposed(comparison.tensor('e2e.zs.noise')).data as Float32Array;
      const { patchSize, featureDim } = backend.info;
      const [step] = await backend.step([{ session, noise: noise.slice(0, patchSize * featureDim) }]);
      await session.close();
      return {
        'base LM': values(await model.probe('baseLm', lm, {}), 'out'),
        'local encoder': values(
          await model.probe('localEncoder', { patches: ofRank(comparison.tensor('enc.in'), 3) }, {}),
          'proj_out',
        ),
        flow: values(await model.probe('flow', flow, settings), 'out'),
        'VAE decoder': values(
          await model.probe('vaeDecoder', { latents: ofRank(transposed(comparison.tensor('vae.dec.z')), 2) }, {}),
          'wav',
        ),
        'first patch': step?.patch ?? new Float32Array(0),
      };
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
