import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { StagePrecisions } from '../../../../export/onnx/precision.ts';
import { openOnnxBackend } from '../../../../src/engine/backends/onnx/open-onnx.ts';
import { Comparison, finiteOnly } from '../../../golden/comparison.ts';
import { ofRank, transposed } from '../../../golden/layout.ts';
import { withOnnx } from '../../../golden/onnx/compare-onnx.ts';
import { OnnxProbe } from '../../../golden/onnx/probe.ts';
import { values } from '../../../golden/stages.ts';
import { expectErrorsWithin } from '../../../support/relative-errors.ts';

const directory = join(process.cwd(), 'tests', 'fixtures', 'tiny-v2');
const comparison = new Comparison(directory, finiteOnly, () => {});

/** Outputs of the stages for the recorded inputs, and the first patch of a run. */
async function computeStages(types: StagePrecisions): Promise<Record<string, Float32Array>> {
  return await withOnnx(join(directory, 'checkpoint'), types, async (folder) => {
    const backend = await openOnnxBackend(folder, { backend: 'cpu', threads: 1 });
    const probe = await OnnxProbe.open(folder);
    try {
      const lm = { prefill: ofRank(comparison.tensor('lm.in_embeds'), 2) };
      const flow = {
        z: ofRank(transposed(comparison.tensor('cfm.z')), 2),
        mu: ofRank(comparison.tensor('cfm.mu'), 1),
        cond: ofRank(transposed(comparison.tensor('cfm.cond')), 2),
      };
      const patches = { patches: ofRank(comparison.tensor('enc.in'), 3) };
      const latents = { latents: ofRank(transposed(comparison.tensor('vae.dec.z')), 2) };
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
        'base LM': values(await probe.probe('baseLm', lm, {}), 'out'),
        'local encoder': values(await probe.probe('localEncoder', patches, {}), 'proj_out'),
        flow: values(await probe.probe('flow', flow, {}), 'out'),
        'VAE decoder': values(await probe.probe('vaeDecoder', latents, {}), 'wav'),
        'first patch': step?.patch ?? new Float32Array(0),
      };
    } finally {
      await probe.close();
      await backend[Symbol.asyncDispose]();
    }
  });
}

const f32 = { lm: 'f32', dit: 'f32', vae: 'f32' } as const;

/** Upper bounds of the relative error against F32 in any stage. Random weights are the worst case for few bits. */
const bounds: readonly { readonly name: string; readonly types: StagePrecisions; readonly bound: number }[] = [
  { name: 'f16', types: { lm: 'f16', dit: 'f16', vae: 'f16' }, bound: 0.005 },
  { name: 'q8', types: { lm: 'q8', dit: 'q8', vae: 'f32' }, bound: 0.05 },
  { name: 'lm=q8,dit=int8', types: { lm: 'q8', dit: 'int8', vae: 'f32' }, bound: 0.05 },
  { name: 'q4', types: { lm: 'q4', dit: 'q4', vae: 'f32' }, bound: 0.5 },
];

describe('relative error of a precision', () => {
  let reference: Record<string, Float32Array>;
  const errors: string[] = [];
  beforeAll(async () => {
    reference = await computeStages(f32);
  });
  afterAll(() => console.log(errors.join('\n')));

  it.each(bounds)('$name stays below $bound in every stage', async ({ name, types, bound }) => {
    const computed = await computeStages(types);
    const found = Object.entries(expectErrorsWithin(bound, computed, reference));
    errors.push(...found.map(([stage, error]) => `${name.padEnd(15)} ${stage.padEnd(14)} ${error.toExponential(2)}`));
  });
});
