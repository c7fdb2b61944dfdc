/**
 * The four graphs of VoxCPM-ONNX with the same names, types and axes, for programs that use its files:
 * `audio_vae_encoder`, `audio_vae_decoder`, `voxcpm_prefill`, `voxcpm_decode_step`. Only for the architecture of
 * VoxCPM-0.5B.
 */
import { flowSchedule } from '../../../src/engine/backends/onnx/exported/flow.ts';
import { type ModelConfig, transformerShapes } from '../../model-config.ts';
import type { Value } from '../graph.ts';
import type { StageContext } from '../linear.ts';
import { eulerLoop, timeEmbeddings } from './flow.ts';
import { type BothModels, bothModels, condition, embedTokens, localEncoder, stopHead } from './language-models.ts';
import type { LayerCache } from './transformer.ts';
import { decodeLatents, encodeSamples, VaeStage } from './vae.ts';

/** Added to the score of a masked position. */
const hidden = -1e30;

/** Encodes samples `[batch, 1, length]` of any length to latents `[batch, latentDim, frames]`. */
export function buildVoxcpmOnnxEncoder(context: StageContext, config: ModelConfig): void {
  const { graph } = context;
  const hop = config.audio_vae_config.encoder_rates.reduce((product, rate) => product * rate, 1);
  const samples = graph.input('audio_data', 'float32', ['batch_size', 1, 'audio_length']);
  const length = graph.op('Shape', [samples], { start: 2, end: 3 });
  // Zero-pads to a whole frame: the remainder of a negative number has the sign of the divisor.
  const missing = graph.op('Mod', [graph.op('Neg', [length]), graph.integers([hop])]);
  const pads = graph.op('Concat', [graph.integers([0, 0, 0, 0, 0]), missing], { axis: 0 });
  const latents = encodeSamples(new VaeStage(context, 'zero'), config, graph.op('Pad', [samples, pads]));
  graph.output('z', latents, 'float32', ['batch_size', config.feat_dim, `CeilToInt(IntTrueDiv(audio_length, ${hop}))`]);
}

/** Decodes latents `[batch, latentDim, frames]` to samples `[batch, 1, length]`. */
export function buildVoxcpmOnnxDecoder(context: StageContext, config: ModelConfig): void {
  const { graph } = context;
  const latents = graph.input('z', 'float32', ['batch_size', config.feat_dim, 'latent_length']);
  const hop = config.audio_vae_config.decoder_rates.reduce((product, rate) => product * rate, 1);
  const samples = decodeLatents(new VaeStage(context, 'zero'), config, latents, undefined);
  graph.output('audio', samples, 'float32', ['batch_size', 1, `${hop}*latent_length`]);
}

/** Hidden states of the last position. */
const last = ({ graph }: StageContext, states: Value): Value =>
  graph.op('Gather', [states, graph.integer(-1)], { axis: 1 });

/** The condition of the next patch `[batch, width]`. */
function nextCondition(context: StageContext, config: ModelConfig, { lmStates, residualLm }: BothModels): Value {
  const made = condition(context, config, last(context, lmStates), last(context, residualLm.output));
  return context.graph.op('Reshape', [made, context.graph.integers([0, config.dit_config.hidden_dim])]);
}

interface CacheNames {
  readonly keys: string;
  readonly values: string;
  readonly length: string;
}

/**
 * Outputs the caches of a model as `[batch, layers, kvHeads, length, headDim]`; `keys` of each layer have this order.
 */
function outputCaches(
  { graph }: StageContext,
  config: ModelConfig,
  layers: readonly LayerCache[],
  { keys, values, length }: CacheNames,
): void {
  const { kvHeads, headDim } = transformerShapes(config).base_lm;
  const joined = (kind: keyof LayerCache): Value => {
    const each = layers.map((layer) => graph.op('Unsqueeze', [layer[kind], graph.integers([1])]));
    return graph.op('Concat', each, { axis: 1 });
  };
  const shape = ['batch_size', layers.length, kvHeads, length, headDim];
  graph.output(keys, joined('keys'), 'float32', shape);
  graph.output(values, joined('values'), 'float32', shape);
}

const swapped = ({ graph }: StageContext, keys: Value): Value => graph.op('Transpose', [keys], { perm: [0, 1, 3, 2] });

export function buildVoxcpmOnnxPrefill(context: StageContext, config: ModelConfig): void {
  const { graph } = context;
  const { patch_size: patchSize, feat_dim: featureDim } = config;
  const sequence = ['batch_size', 'seq_length'] as const;
  const text = graph.input('text', 'int64', sequence);
  const textMask = graph.input('text_mask', 'int32', sequence);
  const features = graph.input('feat', 'float32', [...sequence, patchSize, featureDim]);
  const audioMask = graph.input('feat_mask', 'int32', sequence);

  const hiddenSize = config.lm_config.hidden_size;
  const patches = graph.op('Reshape', [features, graph.integers([-1, patchSize, featureDim])]);
  const shape = graph.op('Concat', [graph.op('Shape', [text]), graph.integers([hiddenSize])], { axis: 0 });
  const ofAudio = graph.op('Reshape', [localEncoder(context, config, patches), shape]);
  const isAudio = graph.op('Unsqueeze', [graph.op('Cast', [audioMask], { to: 9 }), graph.integers([2])]);
  const isText = graph.op('Unsqueeze', [graph.op('Cast', [textMask], { to: 9 }), graph.integers([2])]);
  const ofText = graph.op('Where', [isText, embedTokens(context, config, text), graph.float(0)]);
  const embeddings = graph.op('Where', [isAudio, ofAudio, ofText]);

  const length = graph.op('Squeeze', [graph.op('Shape', [text], { start: 1, end: 2 })]);
  const order = graph.op('Range', [graph.integer(0), length, graph.integer(1)]);
  const rows = graph.op('Unsqueeze', [order, graph.integers([1])]);
  const isLater = graph.op('Greater', [order, rows]);
  const causal = graph.op('Where', [isLater, graph.float(hidden), graph.float(0)]);
  const bias = graph.op('Unsqueeze', [causal, graph.integers([0, 1])]);
  const models = bothModels(context, config, embeddings, isAudio, { positions: graph.integers([0]), bias });

  graph.output('dit_hidden', nextCondition(context, config, models), 'float32', [
    'batch_size',
    config.dit_config.hidden_dim,
  ]);
  for (const [name, stack] of [
    ['base', models.baseLm],
    ['residual', models.residualLm],
  ] as const) {
    const layers = stack.caches.map(({ keys, values }) => ({ keys: swapped(context, keys), values }));
    const names = { keys: `${name}_next_keys`, values: `${name}_next_values`, length: 'seq_length' };
    outputCaches(context, config, layers, names);
  }
  graph.output('prefix_feat_cond', last(context, features), 'float32', ['batch_size', patchSize, featureDim]);
}

/** Computes one patch and the caches with the new position; `timesteps` is fixed in the graph. */
export function buildVoxcpmOnnxStep(context: StageContext, config: ModelConfig, timesteps: number): void {
  const { graph } = context;
  const { patch_size: patchSize, feat_dim: featureDim } = config;
  const width = config.dit_config.hidden_dim;
  const patch = ['batch_size', patchSize, featureDim] as const;
  const { base_lm: base, residual_lm: residual } = transformerShapes(config);
  const { kvHeads, headDim } = base;
  const ditHidden = graph.input('dit_hidden', 'float32', ['batch_size', width]);
  const cacheInput = (name: string, layers: number): Value[] => {
    const whole = graph.input(name, 'float32', ['batch_size', layers, kvHeads, 'past_seq_length', headDim]);
    return Array.from({ length: layers }, (_, index) => graph.op('Gather', [whole, graph.integer(index)], { axis: 1 }));
  };
  const baseKeys = cacheInput('base_next_keys', base.layers);
  const baseValues = cacheInput('base_next_values', base.layers);
  const residualKeys = cacheInput('residual_next_keys', residual.layers);
  const residualValues = cacheInput('residual_next_values', residual.layers);
  const before = graph.input('prefix_feat_cond', 'float32', patch);
  const noise = graph.input('noise', 'float32', patch);
  const cfg = graph.input('cfg_value', 'float32', []);

  const isMeanMode = config.architecture === 'voxcpm' && config.dit_mean_mode;
  const { times, deltas, steps } = flowSchedule({ timesteps, isMeanMode });
  const embeddings = timeEmbeddings(context, config, graph.floats(times), graph.floats(deltas));
  const mu = graph.op('Unsqueeze', [ditHidden, graph.integers([1])]);
  const flow = { noise, mu, before, guidance: { cfg }, embeddings, steps: graph.floats(steps) };
  const [made] = eulerLoop(context, config, flow);
  graph.output('pred_feat', made, 'float32', patch);

  const embedded = graph.op('Unsqueeze', [localEncoder(context, config, made), graph.integers([1])]);
  const pastKeys = [...baseKeys, ...residualKeys];
  const pastValues = [...baseValues, ...residualValues];
  const past = pastKeys.map((keys, index) => ({ keys: swapped(context, keys), values: pastValues[index] as Value }));
  const positions = graph.op('Shape', [pastValues[0]], { start: 2, end: 3 });
  // All earlier positions are visible.
  const total = graph.op('Add', [positions, graph.integers([1])]);
  const shape = graph.op('Concat', [graph.integers([1, 1, 1]), total], { axis: 0 });
  const bias = graph.op('Expand', [graph.float(0), shape]);
  const models = bothModels(context, config, embedded, undefined, { positions, bias, past });

  graph.output('new_dit_hidden', nextCondition(context, config, models), 'float32', ['batch_size', width]);
  const stacks = [
    ['base', models.baseLm, baseKeys, baseValues],
    ['residual', models.residualLm, residualKeys, residualValues],
  ] as const;
  for (const [name, stack, keysBefore, valuesBefore] of stacks) {
    const layers = stack.caches.map(({ keys, values }, index) => ({
      keys: graph.op('Concat', [keysBefore[index], swapped(context, keys)], { axis: 2 }),
      values: graph.op('Concat', [valuesBefore[index], values], { axis: 2 }),
    }));
    const names = { keys: `new_${name}_next_keys`, values: `new_${name}_next_values`, length: 'past_seq_length + 1' };
    outputCaches(context, config, layers, names);
  }
  const logits = stopHead(context, last(context, models.lmStates));
  const [goOn, stop] = graph.ops('Split', [logits], 2, { axis: 1, num_outputs: 2 }) as [Value, Value];
  // The softmax of two logits is above one half for the larger one.
  const flag = graph.op('Squeeze', [graph.op('Greater', [stop, goOn]), graph.integers([1])]);
  graph.output('stop_flag', flag, 'bool', ['batch_size']);
}
