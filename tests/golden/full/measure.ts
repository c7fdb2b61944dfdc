/** Relative errors of a model against the official implementation in float64. */

import { buildPrefix } from '../../../src/engine/prefix.ts';
import { concatenate } from '../../../src/float-arrays.ts';
import type { GoldenRun } from '../../support/golden.ts';
import type { Comparison } from '../comparison.ts';
import { ofRank, shaped, transposed } from '../layout.ts';
import { values } from '../stages.ts';
import type { Subject } from '../subject.ts';
import { decodeWhole } from '../vae.ts';

/** Of both utterances, the larger error counts. */
export interface Errors {
  /** Hidden states of the base LM after its prefill and three steps; relative RMS. */
  readonly baseLm: number;
  /** Share of the codes that the quantizer makes of these hidden states and that differ. */
  readonly quantizer: number;
  readonly residualLm: number;
  readonly localEncoder: number;
  readonly stopLogits: number;
  /** One patch from recorded hidden states: ten timesteps. */
  readonly flow: number;
  /** Every patch of an utterance, each after the official patches before it. */
  readonly patches: number;
  /** Audio of recorded latents, relative RMS. */
  readonly vae: number;
  /** Audio of `patches`. */
  readonly audio: number;
}

export const relativeError = (actual: Float32Array, expected: Float32Array): number => {
  if (actual.length !== expected.length) throw new Error(`${actual.length} values instead of ${expected.length}`);
  let difference = 0;
  let power = 0;
  for (let index = 0; index < expected.length; index++) {
    const value = expected[index] as number;
    difference += ((actual[index] as number) - value) ** 2;
    power += value ** 2;
  }
  return Math.sqrt(difference / power);
};

/** Hidden states of a language model for recorded inputs: prefill, then steps. */
async function hiddenStates({ model }: Subject, golden: Comparison, name: 'lm' | 'rlm'): Promise<Float32Array> {
  const inputs = {
    prefill: ofRank(golden.tensor(`${name}.in_embeds`), 2),
    steps: ofRank(golden.tensor(`${name}.step_in`), 2),
  };
  const outputs = await model.probe(name === 'lm' ? 'baseLm' : 'residualLm', inputs, {});
  return concatenate([values(outputs, 'out'), values(outputs, 'step_out')]);
}

const expectedStates = (golden: Comparison, name: string): Float32Array =>
  concatenate([golden.floats(`${name}.out`), golden.floats(`${name}.step_out`)]);

async function quantizerError({ model }: Subject, golden: Comparison, states: Float32Array): Promise<number> {
  const expected = golden.tensor('lm.q');
  const [positions = 0] = expected.shape;
  const outputs = await model.probe('fsq', { in: shaped(states, positions, states.length / positions) }, {});
  const codes = values(outputs, 'q');
  // Codes are a ninth apart or farther.
  const changed = codes.filter((code, index) => Math.abs(code - (expected.data[index] as number)) > 0.01);
  return changed.length / codes.length;
}

/** The patches of an utterance, each generated after the official ones before it, and their audio. */
async function forcedUtterance(backend: Subject, golden: Comparison, name: string, run: GoldenRun) {
  const { patchSize, featureDim, patchSamples, architecture } = backend.info;
  const length = patchSize * featureDim;
  const prompt = run.prompt_wav === null ? undefined : golden.floats('prompt_a.feat');
  const end = run.audio_mask.indexOf(1);
  const textIds = Int32Array.from(run.text_token.slice(0, (end < 0 ? run.text_token.length : end) - 1));
  const built = buildPrefix(backend.info, { textIds, prompt });
  const noise = transposed(golden.tensor(`e2e.${name}.noise`)).data as Float32Array;
  const recorded = golden.floats(`e2e.${name}.feat`);
  // VoxCPM 1 returns the context before the generated patches.
  const official = architecture === 'voxcpm' ? recorded.slice(built.context.length) : recorded;
  const patches: Float32Array[] = [];
  for (let index = 0; index < run.num_patches; index++) {
    const history = concatenate([prompt ?? new Float32Array(0), official.slice(0, index * length)]);
    const prefix = buildPrefix(backend.info, { textIds, prompt: history.length > 0 ? history : undefined });
    const session = await backend.open({ ...prefix, cfg: run.cfg_value, timesteps: run.inference_timesteps });
    const [step] = await backend.step([{ session, noise: noise.slice(index * length, (index + 1) * length) }]);
    await session.close();
    if (step === undefined) throw new Error('the step has no output');
    patches.push(step.patch);
  }
  const generated = concatenate(patches);
  const whole = await decodeWhole(backend.model, concatenate([built.context, generated]), featureDim);
  return {
    patches: relativeError(generated, official),
    audio: relativeError(whole.slice(built.discardPatches * patchSamples), golden.floats(`e2e.${name}.wav`)),
  };
}

export async function measureErrors(backend: Subject, golden: Comparison): Promise<Errors> {
  const { model } = backend;
  const states = await hiddenStates(backend, golden, 'lm');
  const enc = golden.tensor('enc.in').data as Float32Array;
  const { patchSize, featureDim } = backend.info;
  const withZero = concatenate([enc, new Float32Array(patchSize * featureDim)]);
  const patches = shaped(withZero, withZero.length / (patchSize * featureDim), patchSize, featureDim);
  const flow = await model.probe(
    'flow',
    {
      z: ofRank(transposed(golden.tensor('cfm.z')), 2),
      mu: ofRank(golden.tensor('cfm.mu'), 1),
      cond: ofRank(transposed(golden.tensor('cfm.cond')), 2),
    },
    { timesteps: 10, cfg: 2, sway: 1, zeroStar: 1 },
  );
  const stop = await model.probe('stop', { in: ofRank(golden.tensor('fsq.in'), 2) }, {});
  const latents = transposed(golden.tensor('vae.dec.z')).data as Float32Array;
  const utterances = [];
  for (const [name, run] of Object.entries(golden.golden.runs)) {
    utterances.push(await forcedUtterance(backend, golden, name, run));
  }
  return {
    baseLm: relativeError(states, expectedStates(golden, 'lm')),
    quantizer: await quantizerError(backend, golden, states),
    residualLm: relativeError(await hiddenStates(backend, golden, 'rlm'), expectedStates(golden, 'rlm')),
    localEncoder: relativeError(
      values(await model.probe('localEncoder', { patches }, {}), 'proj_out'),
      golden.floats('enc.proj_out'),
    ),
    stopLogits: relativeError(values(stop, 'logits'), golden.floats('stop.logits')),
    flow: relativeError(values(flow, 'out'), transposed(golden.tensor('cfm.out.n10_cfg2')).data as Float32Array),
    patches: Math.max(...utterances.map((utterance) => utterance.patches)),
    vae: relativeError(await decodeWhole(model, latents, featureDim), golden.floats('vae.dec.wav')),
    audio: Math.max(...utterances.map((utterance) => utterance.audio)),
  };
}

/** What `golden.json` of a full-size checkpoint says about the official code in float32. */
interface OfficialErrors {
  readonly f32_relative: Readonly<Record<string, number>>;
  readonly fsq_flips_of_float32: number;
}

/** The official code's own errors in float32. */
export function officialErrors(golden: Comparison): Errors {
  const { f32_relative: relative, fsq_flips_of_float32: flips } = golden.golden as unknown as OfficialErrors;
  const largest = (...names: string[]): number => Math.max(...names.map((name) => relative[name] ?? Number.NaN));
  return {
    baseLm: largest('lm.out', 'lm.step_out'),
    quantizer: flips / golden.floats('lm.q').length,
    residualLm: largest('rlm.out', 'rlm.step_out'),
    localEncoder: largest('enc.proj_out'),
    stopLogits: largest('stop.logits'),
    flow: largest('cfm.out.n10_cfg2'),
    patches: largest('e2e.zs.feat', 'e2e.cont.feat'),
    vae: largest('vae.dec.wav'),
    audio: largest('e2e.zs.wav', 'e2e.cont.wav'),
  };
}
