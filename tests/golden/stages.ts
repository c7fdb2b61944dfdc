import type { NativeModel, NativeTensor } from '../../src/engine/backends/native/addon.ts';
import { concatenate } from '../../src/float-arrays.ts';
import type { Comparison } from './comparison.ts';
import { ofRank, shaped, transposed } from './layout.ts';

/** The probe of a model, as used here. */
export type Probe = Pick<NativeModel, 'probe'>;

export function values(outputs: Readonly<Record<string, NativeTensor>>, name: string): Float32Array {
  const tensor = outputs[name];
  if (!tensor) throw new Error(`the probe has no output ${name}, only ${Object.keys(outputs).join(', ')}`);
  return tensor.data as Float32Array;
}

/** Both language models: prefill, caches, steps, and a prefill longer than a cache block. */
async function compareLm(model: Probe, comparison: Comparison, prefix: 'lm' | 'rlm'): Promise<void> {
  const stage = prefix === 'lm' ? 'baseLm' : 'residualLm';
  const inputs = {
    prefill: ofRank(comparison.tensor(`${prefix}.in_embeds`), 2),
    steps: ofRank(comparison.tensor(`${prefix}.step_in`), 2),
  };
  const outputs = await model.probe(stage, inputs, {});
  for (const name of comparison.names(new RegExp(`^${prefix}\\.(layer\\d+\\.out|out|[kv]\\d+|step_out)$`))) {
    comparison.meet(name, values(outputs, name.slice(prefix.length + 1)));
  }
  const long = await model.probe(stage, { prefill: ofRank(comparison.tensor(`${prefix}.long_in`), 2) }, {});
  const tail = comparison.floats(`${prefix}.long_out_tail`).length;
  comparison.meet(`${prefix}.long_out_tail`, values(long, 'out').slice(-tail));
}

async function compareEncoder(model: Probe, comparison: Comparison): Promise<void> {
  const { data, shape } = ofRank(comparison.tensor('enc.in'), 3);
  const [count = 0, patchSize = 0, featureDim = 0] = shape;
  const zero = new Float32Array(patchSize * featureDim);
  const patches = shaped(concatenate([data as Float32Array, zero]), count + 1, patchSize, featureDim);
  const outputs = await model.probe('localEncoder', { patches }, {});
  comparison.meet('enc.out', values(outputs, 'out'));
  comparison.meet('enc.proj_out', values(outputs, 'proj_out'));
}

/**
 * Compares the quantizer. Where the recorded value is nearer to the edge between two levels than devices may differ, either
 * level is right, and what is made of the row with the other one is not compared.
 */
function compareLevels(quantised: Readonly<Record<string, NativeTensor>>, comparison: Comparison): void {
  comparison.meet('fsq.tanh', values(quantised, 'tanh'));
  const [before, levels, out] = [
    comparison.floats('fsq.tanh'),
    comparison.floats('fsq.q'),
    comparison.floats('fsq.out'),
  ];
  const step = levels.reduce((least, level) => (level === 0 ? least : Math.min(least, Math.abs(level))), 1);
  const rows = before.length / (comparison.tensor('fsq.tanh').shape.at(-1) ?? 1);
  const [computedLevels, computedOut] = [values(quantised, 'q').slice(), values(quantised, 'out').slice()];
  for (const [index, level] of levels.entries()) {
    const offset = (before[index] as number) - level;
    const other = level + Math.sign(offset) * step;
    const isAtEdge = Math.abs(offset) > step / 2 - comparison.toleranceOf('fsq.tanh');
    const isOther = Math.abs((computedLevels[index] as number) - other) <= comparison.toleranceOf('fsq.q');
    if (!isAtEdge || !isOther) continue;
    computedLevels[index] = level;
    const width = out.length / rows;
    const first = Math.floor((index * rows) / before.length) * width;
    computedOut.set(out.subarray(first, first + width), first);
  }
  comparison.meet('fsq.q', computedLevels);
  comparison.meet('fsq.out', computedOut);
}

async function compareHiddenStages(model: Probe, comparison: Comparison): Promise<void> {
  const input = ofRank(comparison.tensor('fsq.in'), 2);
  const quantised = await model.probe('fsq', { in: input }, {});
  compareLevels(quantised, comparison);
  comparison.meet('stop.logits', values(await model.probe('stop', { in: input }, {}), 'logits'));
  if (!comparison.has('fusion.out')) return;
  // The recorded input: the first half of the rows next to the second half.
  const [rows = 0, width = 0] = input.shape;
  const pairs: Float32Array[] = [];
  for (let row = 0; row < rows / 2; row++) {
    for (const source of [row, row + rows / 2]) {
      pairs.push((input.data as Float32Array).subarray(source * width, (source + 1) * width));
    }
  }
  const outputs = await model.probe('fusion', { in: shaped(concatenate(pairs), rows / 2, 2 * width) }, {});
  comparison.meet('fusion.out', values(outputs, 'out'));
}

async function compareDit(model: Probe, comparison: Comparison): Promise<void> {
  const inputs = {
    x: transposed(comparison.tensor('dit.x')),
    mu: comparison.tensor('dit.mu'),
    t: comparison.tensor('dit.t'),
    cond: transposed(comparison.tensor('dit.cond')),
    dt: comparison.tensor('dit.dt'),
  };
  const outputs = await model.probe('localDit', inputs, {});
  for (const output of ['t_emb', 't_mlp', 'dt_mlp']) comparison.meet(`dit.${output}`, values(outputs, output));
  comparison.meet('dit.out', channelsFirst(outputs, 'out', inputs.x.shape));
}

/** Converts a probe's `[..., P, D]` to the golden `[..., D, P]`. */
function channelsFirst(
  outputs: Readonly<Record<string, NativeTensor>>,
  name: string,
  shape: readonly number[],
): Float32Array {
  const [patchSize = 0, featureDim = 0] = shape.slice(-2);
  const data = values(outputs, name);
  const count = data.length / (patchSize * featureDim);
  return transposed({ data, shape: [count, patchSize, featureDim] }).data as Float32Array;
}

/** Parses the settings in a flow entry's name, e.g. `cfm.out.n10_cfg2_sway0`. */
export function flowSettings(name: string): { parameters: Record<string, number>; temperature: number } | undefined {
  const match = /^cfm\.out\.n(\d+)_cfg([\d.]+?)(?:_(sway|temp)(-?[\d.]+)|_(nozerostar))?$/.exec(name);
  if (!match) return undefined;
  const [, timesteps, cfg, setting, value, noZeroStar] = match;
  return {
    parameters: {
      timesteps: Number(timesteps),
      cfg: Number(cfg),
      sway: setting === 'sway' ? Number(value) : 1,
      zeroStar: noZeroStar ? 0 : 1,
    },
    temperature: setting === 'temp' ? Number(value) : 1,
  };
}

async function compareFlow(model: Probe, comparison: Comparison): Promise<void> {
  const noise = ofRank(transposed(comparison.tensor('cfm.z')), 2);
  const mu = ofRank(comparison.tensor('cfm.mu'), 1);
  const cond = ofRank(transposed(comparison.tensor('cfm.cond')), 2);
  for (const name of comparison.names(/^cfm\.out\./)) {
    const settings = flowSettings(name);
    if (!settings) {
      comparison.absent(name, 'settings unknown to this comparison');
      continue;
    }
    const z = { ...noise, data: (noise.data as Float32Array).map((value) => value * settings.temperature) };
    const outputs = await model.probe('flow', { z, mu, cond }, settings.parameters);
    comparison.meet(name, channelsFirst(outputs, 'out', noise.shape));
    // As in a step: the native kernels then compute all timesteps in one operation.
    const untapped = await model.probe('flow', { z, mu, cond }, { ...settings.parameters, taps: 0 });
    comparison.meet(name, channelsFirst(untapped, 'out', noise.shape), `${name} (untapped)`);
    const calls = values(outputs, 'traj.t').length;
    comparison.equal(`cfm_estimator_calls.${name}`, [calls], [comparison.golden.cfm_estimator_calls[name]]);
    if (name !== 'cfm.out.n10_cfg2') continue;
    comparison.meet('cfm.traj.x', channelsFirst(outputs, 'traj.x', noise.shape));
    comparison.meet('cfm.traj.t', values(outputs, 'traj.t'));
    comparison.meet('cfm.traj.dt', values(outputs, 'traj.dt'));
  }
}

/** Every stage of the model except the audio VAE. */
export async function compareStages(model: Probe, comparison: Comparison): Promise<void> {
  await comparison.part('lm', () => compareLm(model, comparison, 'lm'));
  await comparison.part('rlm', () => compareLm(model, comparison, 'rlm'));
  await comparison.part('embed', async () => {
    const outputs = await model.probe('embed', { ids: comparison.tensor('embed.ids') }, {});
    comparison.meet('embed.out', values(outputs, 'out'));
  });
  await comparison.part('enc', () => compareEncoder(model, comparison));
  await comparison.part('fsq', () => compareHiddenStages(model, comparison));
  await comparison.part('dit', () => compareDit(model, comparison));
  await comparison.part('cfm', () => compareFlow(model, comparison));
}
