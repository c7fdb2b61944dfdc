/**
 * Streaming encoder and decoder of the audio VAE (`voxcpm/modules/audiovae/audio_vae.py`, `audio_vae_v2.py`): every
 * causal convolution takes its left context as input `state.<i>` and returns the next one as `next_state.<i>`.
 */

import { firstDecoderBlock } from '../../expected-tensors.ts';
import type { ModelConfig } from '../../model-config.ts';
import type { Value } from '../graph.ts';
import type { StageContext } from '../linear.ts';

interface Convolution {
  readonly name: string;
  readonly kernel: number;
  readonly padding: number;
  readonly stride?: number;
  readonly dilation?: number;
  readonly groups?: number;
}

/** Shape of the left context of a convolution. */
export interface StateShape {
  readonly channels: number;
  readonly frames: number;
}

/** `carried`: the left context is a state passed by the caller; `zero`: it is zero, as the input is complete. */
export type LeftContext = 'carried' | 'zero';

/** Builds encoder or decoder of the VAE. */
export class VaeStage {
  readonly context: StageContext;
  readonly left: LeftContext;
  readonly states: StateShape[] = [];
  #next: Value[] = [];

  constructor(context: StageContext, left: LeftContext) {
    this.context = context;
    this.left = left;
  }

  weight(name: string, shape?: readonly number[]): Value {
    const { graph, weights } = this.context;
    return graph.weight(weights.plain(name, shape));
  }

  /** Prepends `frames` frames of context to x. */
  extend(x: Value, channels: number, frames: number): Value {
    const { graph } = this.context;
    if (frames === 0) return x;
    if (this.left === 'zero') return graph.op('Pad', [x, graph.integers([0, 0, frames, 0, 0, 0])]);
    const state = graph.input(`state.${this.states.length}`, 'float32', ['batch', channels, frames]);
    this.states.push({ channels, frames });
    const extended = graph.op('Concat', [state, x], { axis: 2 });
    const [start, end] = [graph.integers([-frames]), graph.integers([Number.MAX_SAFE_INTEGER])];
    this.#next.push(graph.op('Slice', [extended, start, end, graph.integers([2])]));
    return extended;
  }

  /** Declares the outputs of the states; call last. */
  finish(): void {
    for (const [index, value] of this.#next.entries()) {
      const { channels, frames } = this.states[index] as StateShape;
      this.context.graph.output(`next_state.${index}`, value, 'float32', ['batch', channels, frames]);
    }
  }

  convolve(x: Value, { name, kernel, padding, stride = 1, dilation = 1, groups = 1 }: Convolution): Value {
    const { graph, weights } = this.context;
    const channels = (weights.shapeOf(`${name}.weight`)[1] ?? 1) * groups;
    const extended = this.extend(x, channels, padding);
    const attributes = {
      kernel_shape: [kernel],
      strides: [stride],
      dilations: [dilation],
      group: groups,
      pads: [0, 0],
    };
    return graph.op('Conv', [extended, this.weight(`${name}.weight`), this.weight(`${name}.bias`)], attributes);
  }

  /** A transposed convolution of kernel size `2 · stride`: each frame contributes to its own samples and the next. */
  upsample(x: Value, name: string, stride: number): Value {
    const { graph, weights } = this.context;
    const [channels = 1] = weights.shapeOf(`${name}.weight`);
    const extended = this.extend(x, channels, 1);
    const attributes = { kernel_shape: [2 * stride], strides: [stride], pads: [stride, stride] };
    const inputs = [extended, this.weight(`${name}.weight`), this.weight(`${name}.bias`)];
    return graph.op('ConvTranspose', inputs, attributes);
  }

  /** `x + sin²(αx) / (α + 1e-9)`. */
  snake(x: Value, name: string): Value {
    const { graph, weights } = this.context;
    const alpha = this.weight(`${name}.alpha`);
    const reciprocal = graph.weight({
      ...weights.plain(`${name}.alpha`),
      name: `${name}.reciprocal`,
      async *data() {
        const values = (await weights.read(`${name}.alpha`)).map((value) => 1 / Math.fround(value + 1e-9));
        yield new Uint8Array(values.buffer);
      },
    });
    const sine = graph.op('Sin', [graph.op('Mul', [x, alpha])]);
    return graph.op('Add', [x, graph.op('Mul', [graph.op('Mul', [sine, sine]), reciprocal])]);
  }

  residualUnit(x: Value, name: string, dilation: number, groups: number): Value {
    const { graph } = this.context;
    let y = this.snake(x, `${name}.block.0`);
    y = this.convolve(y, { name: `${name}.block.1`, kernel: 7, padding: 6 * dilation, dilation, groups });
    y = this.convolve(this.snake(y, `${name}.block.2`), { name: `${name}.block.3`, kernel: 1, padding: 0 });
    return graph.op('Add', [x, y]);
  }

  residualUnits(x: Value, names: readonly string[], groups: number): Value {
    return names.reduce((y, name, index) => this.residualUnit(y, name, 3 ** index, groups), x);
  }
}

/** Encodes samples `[batch, 1, length]` of whole frames to latents `[batch, latentDim, frames]`. */
export function encodeSamples(stage: VaeStage, config: ModelConfig, samples: Value): Value {
  const { graph } = stage.context;
  const { audio_vae_config: vae } = config;
  const encoder = 'audio_vae.encoder';
  let x = stage.convolve(samples, { name: `${encoder}.block.0`, kernel: 7, padding: 6 });
  graph.label(x, 'block.0.output');
  let channels = vae.encoder_dim;
  for (const [index, stride] of vae.encoder_rates.entries()) {
    const block = `${encoder}.block.${index + 1}.block`;
    const units = [0, 1, 2].map((unit) => `${block}.${unit}`);
    x = stage.snake(stage.residualUnits(x, units, vae.depthwise ? channels : 1), `${block}.3`);
    // Model 1 pads an odd stride by one frame more than model 2.
    const padding = 2 * Math.ceil(stride / 2) - (config.architecture === 'voxcpm2' ? stride % 2 : 0);
    x = stage.convolve(x, { name: `${block}.4`, kernel: 2 * stride, padding, stride });
    graph.label(x, `block.${index + 1}.output`);
    channels *= 2;
  }
  return stage.convolve(x, { name: `${encoder}.fc_mu`, kernel: 3, padding: 2 });
}

/**
 * Adds the encoder to the graph: samples `[1, length]` to latents `[1, frames, latentDim]`.
 *
 * @returns the states, in order
 */
export function buildVaeEncoder(context: StageContext, config: ModelConfig): StateShape[] {
  const { graph } = context;
  const stage = new VaeStage(context, 'carried');
  const samples = graph.input('samples', 'float32', ['batch', 'length']);
  const column = graph.op('Unsqueeze', [samples, graph.integers([1])]);
  const latents = graph.op('Transpose', [encodeSamples(stage, config, column)], { perm: [0, 2, 1] });
  graph.output('latents', latents, 'float32', ['batch', 'frames', config.feat_dim]);
  stage.finish();
  return stage.states;
}

/** Conditions a block on the sample rate (`SampleRateConditionLayer`). */
function applyRate(
  stage: VaeStage,
  vae: ModelConfig['audio_vae_config'],
  name: string,
  x: Value,
  bucket: Value,
): Value {
  if (!('cond_type' in vae)) return x;
  const { graph } = stage.context;
  const pick = (table: string): Value => {
    const row = graph.op('Gather', [stage.weight(`${name}.${table}.weight`), bucket]);
    return graph.op('Reshape', [row, graph.integers([1, -1, 1])]);
  };
  let y: Value;
  if (vae.cond_type === 'add') {
    y = graph.op('Add', [x, pick('cond_embed')]);
  } else if (vae.cond_type === 'concat') {
    const batch = graph.op('Shape', [x], { start: 0, end: 1 });
    const frames = graph.op('Shape', [x], { start: 2, end: 3 });
    const each = graph.op('Concat', [batch, graph.integers([vae.cond_dim]), frames], { axis: 0 });
    y = graph.op('Concat', [x, graph.op('Expand', [pick('cond_embed'), each])], { axis: 1 });
  } else {
    y = graph.op('Add', [graph.op('Mul', [x, pick('scale_embed')]), pick('bias_embed')]);
  }
  if (!vae.cond_out_layer) return y;
  const out = { name: `${name}.out_layer.1`, kernel: 1, padding: 0 };
  return stage.convolve(stage.snake(y, `${name}.out_layer.0`), out);
}

/** Decodes latents `[batch, latentDim, frames]` to samples `[batch, 1, length]`. */
export function decodeLatents(
  stage: VaeStage,
  config: ModelConfig,
  latents: Value,
  sampleRate: Value | undefined,
): Value {
  const { graph } = stage.context;
  const { audio_vae_config: vae } = config;
  const decoder = 'audio_vae.decoder';
  const model = `${decoder}.model`;
  let index = 0;
  const label = (x: Value): Value => {
    graph.label(x, `module.${index}.output`);
    index += 1;
    return x;
  };
  const groups = vae.depthwise ? vae.latent_dim : 1;
  let x = label(stage.convolve(latents, { name: `${model}.0`, kernel: 7, padding: 6, groups }));
  if (vae.depthwise) x = label(stage.convolve(x, { name: `${model}.1`, kernel: 1, padding: 0 }));
  // torch.bucketize: the number of boundaries below the rate.
  const boundaries = 'sr_bin_boundaries' in vae ? vae.sr_bin_boundaries : null;
  const bucket =
    boundaries === null || sampleRate === undefined
      ? undefined
      : graph.op(
          'ReduceSum',
          [graph.op('Cast', [graph.op('Less', [graph.integers(boundaries), sampleRate])], { to: 7 }), undefined],
          { keepdims: 0 },
        );
  for (const [block, stride] of vae.decoder_rates.entries()) {
    const module = firstDecoderBlock(vae) + block;
    const name = `${model}.${module}.block`;
    if (bucket) x = applyRate(stage, vae, `${decoder}.sr_cond_model.${module}`, x, bucket);
    x = stage.upsample(stage.snake(x, `${name}.0`), `${name}.1`, stride);
    const units = [2, 3, 4].map((unit) => `${name}.${unit}`);
    x = label(stage.residualUnits(x, units, vae.depthwise ? vae.decoder_dim >> (block + 1) : 1));
  }
  x = label(stage.snake(x, `${model}.${index}`));
  x = label(stage.convolve(x, { name: `${model}.${index}`, kernel: 7, padding: 6 }));
  return graph.op('Tanh', [x]);
}

/**
 * Adds the decoder to the graph: latents `[batch, frames, latentDim]` to samples `[batch, length]`.
 *
 * @returns the states, in order
 */
export function buildVaeDecoder(context: StageContext, config: ModelConfig): StateShape[] {
  const { graph } = context;
  const stage = new VaeStage(context, 'carried');
  const latents = graph.input('latents', 'float32', ['batch', 'frames', config.feat_dim]);
  const isConditioned = 'sr_bin_boundaries' in config.audio_vae_config && config.audio_vae_config.sr_bin_boundaries;
  const sampleRate = isConditioned ? graph.input('sample_rate', 'int64', []) : undefined;
  const channelsFirst = graph.op('Transpose', [latents], { perm: [0, 2, 1] });
  const samples = decodeLatents(stage, config, channelsFirst, sampleRate);
  const flat = graph.op('Squeeze', [samples, graph.integers([1])]);
  graph.output('samples', flat, 'float32', ['batch', 'length']);
  stage.finish();
  return stage.states;
}
