/** The expected tensors of a checkpoint by official name, and a check against the actual ones. */

import { SvcError } from '../src/errors.ts';
import type { TensorSource } from '../src/formats/tensor-source.ts';
import { type ModelConfig, transformerShapes } from './model-config.ts';

export interface ExpectedTensor {
  readonly name: string;
  /** Outermost dimension first. */
  readonly shape: readonly number[];
  /**
   * - `matrix`: weight `[outputs, inputs]` of a linear layer
   * - `embedding`: the token table `[vocabulary, width]`
   * - `convolution`: weight of a VAE convolution
   * - `alpha`: Snake's `[1, channels, 1]`
   * - `vector`: norms, biases and small tables
   * - `integers`: integer buffers
   */
  readonly role: 'matrix' | 'embedding' | 'convolution' | 'alpha' | 'vector' | 'integers';
  readonly presence?: 'optional';
}

const matrix = (name: string, outputs: number, inputs: number): ExpectedTensor => ({
  name: `${name}.weight`,
  shape: [outputs, inputs],
  role: 'matrix',
});

const vector = (name: string, length: number): ExpectedTensor => ({ name, shape: [length], role: 'vector' });

const linear = (name: string, outputs: number, inputs: number): ExpectedTensor[] => [
  matrix(name, outputs, inputs),
  vector(`${name}.bias`, outputs),
];

function transformerTensors(config: ModelConfig): ExpectedTensor[] {
  const tensors: ExpectedTensor[] = [];
  for (const [stack, shape] of Object.entries(transformerShapes(config))) {
    const { hidden, intermediate, heads, kvHeads, headDim } = shape;
    for (let index = 0; index < shape.layers; index += 1) {
      const layer = `${stack}.layers.${index}`;
      tensors.push(
        vector(`${layer}.input_layernorm.weight`, hidden),
        matrix(`${layer}.self_attn.q_proj`, heads * headDim, hidden),
        matrix(`${layer}.self_attn.k_proj`, kvHeads * headDim, hidden),
        matrix(`${layer}.self_attn.v_proj`, kvHeads * headDim, hidden),
        matrix(`${layer}.self_attn.o_proj`, hidden, heads * headDim),
        vector(`${layer}.post_attention_layernorm.weight`, hidden),
        matrix(`${layer}.mlp.gate_proj`, intermediate, hidden),
        matrix(`${layer}.mlp.up_proj`, intermediate, hidden),
        matrix(`${layer}.mlp.down_proj`, hidden, intermediate),
      );
    }
    tensors.push(vector(`${stack}.norm.weight`, hidden));
  }
  return tensors;
}

/** All tensors of a checkpoint, including the VAE. */
export function expectedTensors(config: ModelConfig): ExpectedTensor[] {
  const hidden = config.lm_config.hidden_size;
  const encoder = config.encoder_config.hidden_dim;
  const dit = config.dit_config.hidden_dim;
  const features = config.feat_dim;
  const estimator = 'feat_decoder.estimator';
  return [
    { name: 'base_lm.embed_tokens.weight', shape: [config.lm_config.vocab_size, hidden], role: 'embedding' },
    ...transformerTensors(config),
    { name: 'feat_encoder.special_token', shape: [1, 1, 1, encoder], role: 'vector' },
    ...linear('feat_encoder.in_proj', encoder, features),
    ...linear(`${estimator}.in_proj`, dit, features),
    ...linear(`${estimator}.cond_proj`, dit, features),
    ...linear(`${estimator}.out_proj`, features, dit),
    ...['time_mlp', 'delta_time_mlp'].flatMap((name) => [
      ...linear(`${estimator}.${name}.linear_1`, dit, dit),
      ...linear(`${estimator}.${name}.linear_2`, dit, dit),
    ]),
    ...linear('fsq_layer.in_proj', config.scalar_quantization_latent_dim, hidden),
    ...linear('fsq_layer.out_proj', hidden, config.scalar_quantization_latent_dim),
    ...linear('enc_to_lm_proj', hidden, encoder),
    ...linear('lm_to_dit_proj', dit, hidden),
    ...linear('res_to_dit_proj', dit, hidden),
    ...(config.architecture === 'voxcpm2' ? linear('fusion_concat_proj', hidden, 2 * hidden) : []),
    ...linear('stop_proj', hidden, hidden),
    matrix('stop_head', 2, hidden),
    ...expectedVaeTensors(config.audio_vae_config),
  ];
}

export interface MatchedTensor {
  readonly expected: ExpectedTensor;
  readonly source: TensorSource;
}

/**
 * Matches tensors of the checkpoint in the order of the table; ignores others, such as adapters and buffers.
 *
 * @throws SvcError MODEL_INVALID for the first tensor that is missing or has a different shape or type
 */
export function matchTensors(config: ModelConfig, tensors: ReadonlyMap<string, TensorSource>): MatchedTensor[] {
  return expectedTensors(config).flatMap((expected) => {
    const source = tensors.get(expected.name);
    const shape = expected.shape.join('×');
    if (source === undefined) {
      if (expected.presence === 'optional') return [];
      throw new SvcError('MODEL_INVALID', `tensor "${expected.name}" of shape ${shape} is missing`);
    }
    if (source.shape.join('×') !== shape) {
      throw new SvcError(
        'MODEL_INVALID',
        `tensor "${expected.name}" has shape ${source.shape.join('×')}, expected ${shape}`,
      );
    }
    const types = expected.role === 'integers' ? ['I32', 'I64'] : ['F32', 'F16', 'BF16', 'F64'];
    if (!types.includes(source.dtype)) {
      throw new SvcError(
        'MODEL_INVALID',
        `tensor "${expected.name}" has type ${source.dtype}, expected ${types.join(' or ')}`,
      );
    }
    return [{ expected, source }];
  });
}

type AudioVaeConfig = ModelConfig['audio_vae_config'];

const snake = (name: string, channels: number): ExpectedTensor => ({
  name: `${name}.alpha`,
  shape: [1, channels, 1],
  role: 'alpha',
});

/** `Conv1d`: weight `[output, input / groups, kernel]`; `ConvTranspose1d`: weight `[input, output, kernel]`. */
const convolution = (name: string, weight: readonly number[], outputs: number): ExpectedTensor[] => [
  { name: `${name}.bias`, shape: [outputs], role: 'vector' },
  { name: `${name}.weight`, shape: weight, role: 'convolution' },
];

function residualUnit(name: string, channels: number, depthwise: boolean): ExpectedTensor[] {
  return [
    snake(`${name}.block.0`, channels),
    ...convolution(`${name}.block.1`, [channels, depthwise ? 1 : channels, 7], channels),
    snake(`${name}.block.2`, channels),
    ...convolution(`${name}.block.3`, [channels, channels, 1], channels),
  ];
}

function encoderTensors(vae: AudioVaeConfig): ExpectedTensor[] {
  const tensors = convolution('encoder.block.0', [vae.encoder_dim, 1, 7], vae.encoder_dim);
  let channels = vae.encoder_dim;
  for (const [index, stride] of vae.encoder_rates.entries()) {
    const block = `encoder.block.${index + 1}.block`;
    for (const unit of [0, 1, 2]) tensors.push(...residualUnit(`${block}.${unit}`, channels, vae.depthwise));
    tensors.push(snake(`${block}.3`, channels));
    tensors.push(...convolution(`${block}.4`, [2 * channels, channels, 2 * stride], 2 * channels));
    channels *= 2;
  }
  const heads = ['fc_mu', 'fc_logvar'].flatMap((head) =>
    convolution(`encoder.${head}`, [vae.latent_dim, channels, 3], vae.latent_dim).map((tensor) =>
      // The variance is only for training; inference uses the mean.
      head === 'fc_logvar' ? { ...tensor, presence: 'optional' as const } : tensor,
    ),
  );
  return [...tensors, ...heads];
}

/** Number of layers before the first decoder block; the depthwise form has one more. */
export const firstDecoderBlock = (vae: AudioVaeConfig): number => (vae.depthwise ? 2 : 1);

function decoderTensors(vae: AudioVaeConfig): ExpectedTensor[] {
  const { latent_dim: latent, decoder_dim: width } = vae;
  const tensors = vae.depthwise
    ? [
        ...convolution('decoder.model.0', [latent, 1, 7], latent),
        ...convolution('decoder.model.1', [width, latent, 1], width),
      ]
    : convolution('decoder.model.0', [width, latent, 7], width);
  const first = firstDecoderBlock(vae);
  for (const [index, stride] of vae.decoder_rates.entries()) {
    const [input, output] = [width >> index, width >> (index + 1)];
    const block = `decoder.model.${first + index}.block`;
    tensors.push(snake(`${block}.0`, input));
    tensors.push(...convolution(`${block}.1`, [input, output, 2 * stride], output));
    for (const unit of [2, 3, 4]) tensors.push(...residualUnit(`${block}.${unit}`, output, vae.depthwise));
  }
  const last = first + vae.decoder_rates.length;
  const channels = width >> vae.decoder_rates.length;
  return [
    ...tensors,
    snake(`decoder.model.${last}`, channels),
    ...convolution(`decoder.model.${last + 1}`, [1, channels, 7], 1),
  ];
}

/** `SampleRateConditionLayer` before each decoder block. */
function conditioningTensors(vae: AudioVaeConfig): ExpectedTensor[] {
  if (!('sr_bin_boundaries' in vae) || vae.sr_bin_boundaries === null) return [];
  const buckets = vae.sr_bin_boundaries.length + 1;
  const tensors: ExpectedTensor[] = [
    // A buffer whose values are also in the config.
    { name: 'decoder.sr_bin_boundaries', shape: [buckets - 1], role: 'integers', presence: 'optional' },
  ];
  for (const index of vae.decoder_rates.keys()) {
    const channels = vae.decoder_dim >> index;
    const name = `decoder.sr_cond_model.${firstDecoderBlock(vae) + index}`;
    const embedding = (kind: string, width: number): ExpectedTensor => ({
      name: `${name}.${kind}.weight`,
      shape: [buckets, width],
      role: 'vector',
    });
    if (vae.cond_type === 'add') tensors.push(embedding('cond_embed', channels));
    else if (vae.cond_type === 'concat') tensors.push(embedding('cond_embed', vae.cond_dim));
    else tensors.push(embedding('bias_embed', channels), embedding('scale_embed', channels));
    if (!vae.cond_out_layer) continue;
    const input = channels + (vae.cond_type === 'concat' ? vae.cond_dim : 0);
    tensors.push(snake(`${name}.out_layer.0`, input));
    tensors.push(...convolution(`${name}.out_layer.1`, [channels, input, 1], channels));
  }
  return tensors;
}

/**
 * All tensors of the audio VAE under `audio_vae.`, with weight normalization folded (OpenBMB/VoxCPM
 * `modules/audiovae/audio_vae.py`, `audio_vae_v2.py`).
 */
export function expectedVaeTensors(vae: AudioVaeConfig): ExpectedTensor[] {
  return [...encoderTensors(vae), ...decoderTensors(vae), ...conditioningTensors(vae)].map((tensor) => ({
    ...tensor,
    name: `audio_vae.${tensor.name}`,
  }));
}
