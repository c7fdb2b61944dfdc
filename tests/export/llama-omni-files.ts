/** Writes a checkpoint in the two GGUF files of llama.cpp-omni, as F32. */
import { join } from 'node:path';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { matchTensors } from '../../export/expected-tensors.ts';
import { f32, type GgufValue, type MetadataEntry, text, texts, u32 } from '../../export/gguf/metadata.ts';
import { type GgufTensor, writeGguf } from '../../export/gguf/writer.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readFloats, type TensorSource } from '../../src/formats/tensor-source.ts';

const layer: Readonly<Record<string, string>> = {
  'input_layernorm.weight': 'attn_norm.weight',
  'self_attn.q_proj.weight': 'attn_q.weight',
  'self_attn.k_proj.weight': 'attn_k.weight',
  'self_attn.v_proj.weight': 'attn_v.weight',
  'self_attn.o_proj.weight': 'attn_output.weight',
  'post_attention_layernorm.weight': 'ffn_norm.weight',
  'mlp.gate_proj.weight': 'ffn_gate.weight',
  'mlp.up_proj.weight': 'ffn_up.weight',
  'mlp.down_proj.weight': 'ffn_down.weight',
};

const stacks: readonly (readonly [official: string, prefix: string, norm: string])[] = [
  ['base_lm', '', 'output_norm'],
  ['residual_lm', 'residual_lm.', 'output_norm'],
  ['feat_encoder.encoder', 'locenc.', 'norm'],
  ['feat_decoder.estimator.decoder', 'locdit.', 'norm'],
];

const others: Readonly<Record<string, string>> = {
  'base_lm.embed_tokens': 'token_embd',
  'feat_encoder.in_proj': 'locenc.in_proj',
  'fsq_layer.in_proj': 'fsq.in_proj',
  'fsq_layer.out_proj': 'fsq.out_proj',
  enc_to_lm_proj: 'projections.enc_to_lm_proj',
  lm_to_dit_proj: 'projections.lm_to_dit_proj',
  res_to_dit_proj: 'projections.res_to_dit_proj',
  fusion_concat_proj: 'projections.res_fusion_proj',
  stop_proj: 'stop_predictor.linear1',
  stop_head: 'stop_predictor.linear2',
};

/** The name by `convert_voxcpm2_to_gguf.py`. */
function nameOf(official: string): string {
  if (official === 'feat_encoder.special_token') return 'locenc.cls_token.weight';
  // Its weights of the audio VAE lack the suffix.
  if (official.startsWith('audio_vae.')) return official.replace(/\.weight$/, '');
  for (const [stack, prefix, norm] of stacks) {
    if (official === `${stack}.norm.weight`) return `${prefix}${norm}.weight`;
    const [, index, part = ''] = new RegExp(`^${stack}\\.layers\\.(\\d+)\\.(.+)$`).exec(official) ?? [];
    if (index !== undefined) return `${prefix}blk.${index}.${layer[part]}`;
  }
  const [, stem = '', kind = ''] = /^(.+)\.(weight|bias)$/.exec(official) ?? [];
  return `${others[stem] ?? stem.replace('feat_decoder.estimator.', 'locdit.')}.${kind}`;
}

const tensorOf = (name: string, shape: readonly number[], source: TensorSource): GgufTensor => ({
  name,
  shape: name === 'locenc.cls_token.weight' ? [elementCount(shape)] : shape,
  type: 'f32',
  async *data() {
    const floats = await readFloats(source, 0, elementCount(shape));
    yield new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
  },
});

const factors = (name: string, values: readonly number[]): GgufTensor => ({
  name,
  shape: [values.length],
  type: 'f32',
  async *data() {
    yield new Uint8Array(Float32Array.from(values).buffer);
  },
});

export interface OmniFiles {
  readonly base: string;
  readonly acoustic: string;
}

/**
 * @param architecture of the base language model, in any case
 * @param changes other values of keys, by name without the architecture
 */
export async function writeOmniFiles(
  directory: string,
  folder: string,
  architecture = 'minicpm4',
  changes: Readonly<Record<string, GgufValue>> = {},
): Promise<OmniFiles> {
  await using checkpoint = await openCheckpoint(directory);
  const { config, tokenizerFiles } = checkpoint;
  const { lm_config: lm, encoder_config: encoder, dit_config: dit, audio_vae_config: vae } = config;
  const tokenizer = JSON.parse(tokenizerFiles.tokenizer);
  const tokens = Array.from({ length: lm.vocab_size }, (_, id) => `[PAD${id}]`);
  const types = tokens.map(() => 5);
  for (const [token, id] of Object.entries<number>(tokenizer.model.vocab)) {
    tokens[id] = token;
    types[id] = /^<0x..>$/.test(token) ? 6 : 1;
  }
  for (const { id } of tokenizer.added_tokens) types[id] = id === 0 ? 2 : 3;
  const headDim = lm.kv_channels ?? lm.hidden_size / lm.num_attention_heads;
  const own = (key: string): string => `${architecture}.${key}`;
  const base: MetadataEntry[] = [
    ['general.architecture', text(architecture)],
    [own('context_length'), u32(lm.max_position_embeddings)],
    [own('embedding_length'), u32(lm.hidden_size)],
    [own('block_count'), u32(lm.num_hidden_layers)],
    [own('feed_forward_length'), u32(lm.intermediate_size)],
    [own('vocab_size'), u32(lm.vocab_size)],
    [own('attention.head_count'), u32(lm.num_attention_heads)],
    [own('attention.head_count_kv'), u32(lm.num_key_value_heads)],
    [own('attention.layer_norm_rms_epsilon'), f32(lm.rms_norm_eps)],
    [own('attention.key_length'), u32(headDim)],
    [own('rope.freq_base'), f32(lm.rope_theta)],
    [own('embedding_scale'), f32(lm.use_mup ? lm.scale_emb : 0)],
    [own('residual_scale'), f32(lm.use_mup ? lm.scale_depth / Math.sqrt(lm.num_hidden_layers) : 0)],
    [own('logit_scale'), f32(lm.dim_model_base / lm.hidden_size)],
    [own('rope.scaling.type'), text('longrope')],
    [own('rope.scaling.original_context_length'), u32(lm.rope_scaling.original_max_position_embeddings)],
    ['tokenizer.ggml.model', text('llama')],
    ['tokenizer.ggml.tokens', texts(tokens)],
    ['tokenizer.ggml.token_type', { type: 'i32[]', value: types }],
    ['tokenizer.ggml.merges', texts(tokenizer.model.merges)],
    ['tokenizer.ggml.bos_token_id', u32(1)],
    ['tokenizer.ggml.eos_token_id', u32(2)],
    ['tokenizer.ggml.unknown_token_id', u32(0)],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: true }],
  ];
  const boundaries = 'sr_bin_boundaries' in vae ? vae.sr_bin_boundaries : null;
  const acoustic: MetadataEntry[] = [
    ['general.architecture', text('voxcpm-acoustic')],
    ['voxcpm.model_version', f32(config.architecture === 'voxcpm2' ? 2 : 0.5)],
    ['voxcpm.patch_size', u32(config.patch_size)],
    ['voxcpm.feat_dim', u32(config.feat_dim)],
    ['voxcpm.residual_lm.n_layer', u32(config.residual_lm_num_layers)],
    ['voxcpm.residual_lm.n_embd', u32(lm.hidden_size)],
    [
      'voxcpm.residual_lm.no_rope',
      { type: 'bool', value: 'residual_lm_no_rope' in config && config.residual_lm_no_rope },
    ],
    ['voxcpm.locenc.n_layer', u32(encoder.num_layers)],
    ['voxcpm.locenc.n_embd', u32(encoder.hidden_dim)],
    ['voxcpm.locdit.n_layer', u32(dit.num_layers)],
    ['voxcpm.locdit.n_embd', u32(dit.hidden_dim)],
    ['voxcpm.fsq.latent_dim', u32(config.scalar_quantization_latent_dim)],
    ['voxcpm.fsq.scale', f32(config.scalar_quantization_scale)],
    ['voxcpm.cfm.sigma_min', f32(1e-6)],
    ['voxcpm.cfm.cfg_rate', f32(2)],
    ['voxcpm.audiovae.encoder_dim', u32(vae.encoder_dim)],
    ['voxcpm.audiovae.latent_dim', u32(vae.latent_dim)],
    ['voxcpm.audiovae.decoder_dim', u32(vae.decoder_dim)],
    ['voxcpm.audiovae.sample_rate', u32(vae.sample_rate)],
    ['voxcpm.audiovae.out_sample_rate', u32('out_sample_rate' in vae ? vae.out_sample_rate : vae.sample_rate)],
    ['voxcpm.audiovae.encoder_rates', { type: 'i32[]', value: vae.encoder_rates }],
    ['voxcpm.audiovae.decoder_rates', { type: 'i32[]', value: vae.decoder_rates }],
    ...(boundaries === null
      ? []
      : [['voxcpm.audiovae.sr_bin_boundaries', { type: 'i32[]', value: boundaries }] as const]),
    ['voxcpm.audiovae.cond_type', text('cond_type' in vae ? vae.cond_type : 'none')],
  ];
  const changed = (entries: readonly MetadataEntry[]): readonly MetadataEntry[] =>
    entries.map(([key, value]) => [key, changes[key.slice(key.indexOf('.') + 1)] ?? value] as const);
  const tensors = matchTensors(config, checkpoint.tensors).flatMap(({ expected, source }) =>
    expected.role === 'integers'
      ? []
      : [[expected.name, tensorOf(nameOf(expected.name), expected.shape, source)] as const],
  );
  const ofBase = tensors.flatMap(([name, tensor]) => (name.startsWith('base_lm.') ? [tensor] : []));
  const embedding = ofBase.find(({ name }) => name === 'token_embd.weight');
  const paths = { base: join(folder, 'VoxCPM2-BaseLM-F32.gguf'), acoustic: join(folder, 'VoxCPM2-Acoustic-F32.gguf') };
  await writeGguf(paths.base, {
    metadata: changed(base),
    tensors: [
      ...ofBase,
      // Tied, and written twice.
      ...(embedding ? [{ ...embedding, name: 'output.weight' }] : []),
      factors('rope_factors_long.weight', lm.rope_scaling.long_factor),
      factors('rope_factors_short.weight', lm.rope_scaling.short_factor),
    ],
  });
  await writeGguf(paths.acoustic, {
    metadata: changed(acoustic),
    tensors: tensors.flatMap(([name, tensor]) => (name.startsWith('base_lm.') ? [] : [tensor])),
  });
  return paths;
}
