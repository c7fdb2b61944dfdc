/**
 * Schema of the `config.json` of a VoxCPM checkpoint: names, defaults and constraints of the official configuration
 * classes (OpenBMB/VoxCPM `model/voxcpm.py`, `model/voxcpm2.py`, `modules/minicpm4/config.py`,
 * `modules/audiovae/*.py`). Fields keep their official names.
 */
import { z } from 'zod';
import { SvcError } from '../src/errors.ts';

/** Upper bounds protect against hostile configs that would exhaust memory. */
const size = z
  .number()
  .int()
  .min(1)
  .max(2 ** 24);
const layers = z.number().int().min(1).max(1024);
/** Frames per patch and strides of the audio VAE, with the limits of the engine. */
const patchSize = z.number().int().min(1).max(64);
const rates = z.array(z.number().int().min(1).max(64)).min(1).max(12);
const optionalSize = size.nullish();

const ropeScaling = z.object({
  type: z.string(),
  long_factor: z.array(z.number()).min(1).max(65536),
  short_factor: z.array(z.number()).min(1).max(65536),
  original_max_position_embeddings: size,
});

const languageModel = z.object({
  bos_token_id: z.number().int(),
  eos_token_id: z.number().int(),
  hidden_size: size,
  intermediate_size: size,
  max_position_embeddings: size,
  num_attention_heads: size,
  num_hidden_layers: layers,
  num_key_value_heads: size,
  rms_norm_eps: z.number().positive(),
  rope_scaling: ropeScaling,
  vocab_size: size,
  use_mup: z.boolean().default(true),
  scale_emb: z.number(),
  dim_model_base: z.number().int(),
  scale_depth: z.number(),
  rope_theta: z.number().positive(),
  kv_channels: optionalSize,
  no_rope: z.boolean().default(false),
});

const localStack = z.object({
  hidden_dim: size.default(1024),
  ffn_dim: size.default(4096),
  num_heads: size.default(16),
  num_layers: layers.default(4),
  kv_channels: optionalSize,
});

const conditioning = z.enum(['scale_bias', 'scale_bias_init', 'add', 'concat']);

/** `AudioVAEConfig` of `audio_vae.py`, and of `audio_vae_v2.py` below. */
const vae1 = z.object({
  encoder_dim: size.default(128),
  encoder_rates: rates.default([2, 5, 8, 8]),
  latent_dim: size.default(64),
  decoder_dim: size.default(1536),
  decoder_rates: rates.default([8, 8, 5, 2]),
  depthwise: z.boolean().default(true),
  sample_rate: size.default(16000),
  use_noise_block: z.boolean().default(false),
});

const vae2 = vae1.extend({
  decoder_dim: size.default(2048),
  decoder_rates: rates.default([8, 6, 5, 2, 2, 2]),
  out_sample_rate: size.default(48000),
  sr_bin_boundaries: z.array(z.number().int().min(0)).max(1024).nullable().default([20000, 30000, 40000]),
  cond_type: conditioning.default('scale_bias'),
  cond_dim: size.default(128),
  cond_out_layer: z.boolean().default(false),
});

const shared = { lm_config: languageModel, feat_dim: size.default(64), encoder_config: localStack };

const voxcpm = z.object({
  ...shared,
  architecture: z.literal('voxcpm'),
  patch_size: patchSize.default(2),
  residual_lm_num_layers: layers.default(6),
  scalar_quantization_latent_dim: size.default(256),
  scalar_quantization_scale: size.default(9),
  dit_config: localStack.extend({ cfm_config: z.looseObject({}) }),
  audio_vae_config: vae1.nullish().transform((value) => value ?? vae1.parse({})),
  max_length: size.default(4096),
  dit_mean_mode: z.boolean().default(false),
});

const voxcpm2 = z.object({
  ...shared,
  architecture: z.literal('voxcpm2'),
  patch_size: patchSize.default(4),
  residual_lm_num_layers: layers.default(8),
  residual_lm_no_rope: z.boolean().default(false),
  scalar_quantization_latent_dim: size.default(512),
  scalar_quantization_scale: size.default(9),
  dit_config: localStack.extend({ dit_mean_mode: z.boolean().default(false), cfm_config: z.looseObject({}) }),
  audio_vae_config: vae2.nullish().transform((value) => value ?? vae2.parse({})),
  max_length: size.default(8192),
});

const modelConfig = z.discriminatedUnion('architecture', [voxcpm, voxcpm2]);

export type ModelConfig = Readonly<z.output<typeof modelConfig>>;

/** Sizes of a transformer stack, in elements. */
export interface TransformerShape {
  readonly layers: number;
  readonly hidden: number;
  readonly intermediate: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

/** Prefixes of tensor names of the stacks in the official modules. */
export type TransformerStack = 'base_lm' | 'residual_lm' | 'feat_encoder.encoder' | 'feat_decoder.estimator.decoder';

/**
 * Sizes of all stacks. Local stacks inherit from `lm_config` what their own section, including `kv_channels`, leaves
 * out.
 */
export function transformerShapes(config: ModelConfig): Readonly<Record<TransformerStack, TransformerShape>> {
  const { lm_config: lm, encoder_config: encoder, dit_config: dit } = config;
  const base = {
    layers: lm.num_hidden_layers,
    hidden: lm.hidden_size,
    intermediate: lm.intermediate_size,
    heads: lm.num_attention_heads,
    kvHeads: lm.num_key_value_heads,
    headDim: lm.kv_channels ?? lm.hidden_size / lm.num_attention_heads,
  };
  const local = (stack: z.output<typeof localStack>): TransformerShape => ({
    layers: stack.num_layers,
    hidden: stack.hidden_dim,
    intermediate: stack.ffn_dim,
    heads: stack.num_heads,
    kvHeads: lm.num_key_value_heads,
    headDim: stack.kv_channels ?? stack.hidden_dim / stack.num_heads,
  });
  return {
    base_lm: base,
    residual_lm: { ...base, layers: config.residual_lm_num_layers },
    'feat_encoder.encoder': local(encoder),
    'feat_decoder.estimator.decoder': local(dit),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value for an error message: one short line. */
function shown(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'object' && first !== null ? 'an object' : JSON.stringify(String(first).slice(0, 60));
}

/**
 * Parses a config and fills in the official defaults; a missing `architecture` means `voxcpm`.
 *
 * @param source name of the file in messages
 * @throws SvcError MODEL_INVALID
 */
export function parseModelConfig(value: unknown, source: string): ModelConfig {
  const fail = (problem: string): never => {
    throw new SvcError('MODEL_INVALID', `${source}: ${problem}`);
  };
  const sections = ['lm_config', 'encoder_config', 'dit_config'];
  if (!isObject(value) || !sections.every((section) => isObject(value[section]))) {
    const kind = isObject(value) ? (value.architecture ?? value.architectures ?? value.model_type) : value;
    return fail(`not the config of a VoxCPM model (${sections.join(', ')}), but of ${shown(kind)}`);
  }
  const given = value.architecture ?? 'voxcpm';
  const architecture = typeof given === 'string' ? given.toLowerCase() : given;
  if (architecture !== 'voxcpm' && architecture !== 'voxcpm2') {
    return fail(`architecture must be voxcpm or voxcpm2, got ${shown(given)}`);
  }
  const parsed = modelConfig.safeParse({ ...value, architecture });
  if (!parsed.success) return fail(issueMessage(parsed.error.issues[0]));
  const problem = inconsistency(parsed.data);
  return problem === undefined ? parsed.data : fail(problem);
}

function issueMessage(issue: z.core.$ZodIssue | undefined): string {
  const field = issue?.path.join('.') ?? '';
  const [, expected, received] = /expected (.+), received (.+)/.exec(issue?.message ?? '') ?? [];
  if (received === 'undefined') return `${field} is missing`;
  if (expected && received) return `${field} must be of type ${expected}, got ${received}`;
  return `invalid ${field}: ${issue?.message ?? 'unknown reason'}`;
}

/** Checks constraints between fields that the official constructors rely on. */
function inconsistency(config: ModelConfig): string | undefined {
  const { rope_scaling: rope, no_rope: noRope } = config.lm_config;
  for (const [stack, shape] of Object.entries(transformerShapes(config))) {
    if (!Number.isInteger(shape.headDim)) {
      return `the width of ${stack} must be a multiple of its heads, got ${shape.hidden} for ${shape.heads} heads`;
    }
    if (shape.heads % shape.kvHeads !== 0) {
      return `the number of heads of ${stack} must be a multiple of its ${shape.kvHeads} key-value heads, got ${shape.heads}`;
    }
    if (noRope) continue;
    const factors = shape.headDim / 2;
    if (rope.long_factor.length !== factors || rope.short_factor.length !== factors) {
      const received = `${rope.long_factor.length} and ${rope.short_factor.length}`;
      return `rope_scaling of ${stack} must have ${factors} long and short factors, got ${received}`;
    }
  }
  const { audio_vae_config: vae, dit_config: dit } = config;
  if (dit.hidden_dim % 2 !== 0 || dit.hidden_dim < 4) {
    return `dit_config.hidden_dim must be an even number of at least 4, got ${dit.hidden_dim}`;
  }
  if (vae.latent_dim !== config.feat_dim) {
    return `audio_vae_config.latent_dim must equal feat_dim (${config.feat_dim}), got ${vae.latent_dim}`;
  }
  if (vae.use_noise_block) return 'audio_vae_config.use_noise_block must be false; noise blocks are not supported';
  if (vae.decoder_dim >> vae.decoder_rates.length < 1) {
    return `audio_vae_config.decoder_dim must be at least ${2 ** vae.decoder_rates.length}, got ${vae.decoder_dim}`;
  }
  if ('cond_type' in vae && vae.cond_type === 'concat' && !vae.cond_out_layer) {
    return 'audio_vae_config.cond_out_layer must be true if cond_type is concat';
  }
  return undefined;
}
