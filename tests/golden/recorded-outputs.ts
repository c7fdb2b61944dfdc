/** What a model makes of the inputs in golden data. */
import type { Backend } from '../../src/engine/backend.ts';
import type { Comparison } from './comparison.ts';
import { ofRank, transposed } from './layout.ts';
import { type Probe, values } from './stages.ts';

/**
 * Outputs of the stages, and the first patch of a run.
 *
 * @param settings parameters of flow matching
 */
export async function recordedOutputs(
  backend: Backend,
  probe: Probe,
  comparison: Comparison,
  settings: Readonly<Record<string, number>> = {},
): Promise<Record<string, Float32Array>> {
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
  const session = await backend.open({ ...prefix, cfg: run.cfg_value, timesteps: run.inference_timesteps });
  const noise = transposed(comparison.tensor('e2e.zs.noise')).data as Float32Array;
  const { patchSize, featureDim } = backend.info;
  const [step] = await backend.step([{ session, noise: noise.slice(0, patchSize * featureDim) }]);
  await session.close();
  return {
    'base LM': values(await probe.probe('baseLm', lm, {}), 'out'),
    'local encoder': values(await probe.probe('localEncoder', patches, {}), 'proj_out'),
    flow: values(await probe.probe('flow', flow, settings), 'out'),
    'VAE decoder': values(await probe.probe('vaeDecoder', latents, {}), 'wav'),
    'first patch': step?.patch ?? new Float32Array(0),
  };
}
