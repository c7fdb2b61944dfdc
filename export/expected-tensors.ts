/** The tensors that a checkpoint of a given config has, by official name, and the check that it has them. */
import { SvcError } from '../src/errors.ts';
import { expectedVaeTensors } from './expected-vae-tensors.ts';
import { type ModelConfig, transformerShapes } from './model-config.ts';
import type { TensorSource } from './tensor-source.ts';

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
   * - `integers`: not a weight
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

/** All tensors of a checkpoint, VAE included. */
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
 * The checkpoint's tensors in the order of the table; what the table does not have (adapters, buffers) is left out.
 * @throws SvcError MODEL_INVALID naming the first tensor that is missing or has another shape or type
 */
export function matchTensors(config: ModelConfig, tensors: ReadonlyMap<string, TensorSource>): MatchedTensor[] {
  return expectedTensors(config).flatMap((expected) => {
    const source = tensors.get(expected.name);
    const shape = `[${expected.shape}]`;
    if (source === undefined) {
      if (expected.presence === 'optional') return [];
      throw new SvcError('MODEL_INVALID', `expected tensor ${expected.name} of shape ${shape}, received none`);
    }
    if (`[${source.shape}]` !== shape) {
      throw new SvcError(
        'MODEL_INVALID',
        `expected shape ${shape} for tensor ${expected.name}, received [${source.shape}]`,
      );
    }
    const types = expected.role === 'integers' ? ['I32', 'I64'] : ['F32', 'F16', 'BF16', 'F64'];
    if (!types.includes(source.dtype)) {
      throw new SvcError(
        'MODEL_INVALID',
        `expected type ${types.join(' or ')} for tensor ${expected.name}, received ${source.dtype}`,
      );
    }
    return [{ expected, source }];
  });
}
