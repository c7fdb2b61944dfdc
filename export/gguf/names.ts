/** Maps official tensor names to those of published VoxCPM GGUF files (VoxCPM.cpp `convert_voxcpm_to_gguf.py`). */

const stacks: readonly (readonly [official: string, gguf: string])[] = [
  ['base_lm.', ''],
  ['residual_lm.', 'residual_lm.'],
  ['feat_encoder.encoder.', 'locenc.'],
  ['feat_decoder.estimator.decoder.', 'locdit.'],
];

const layerParts = new Map([
  ['input_layernorm.weight', 'attn_norm.weight'],
  ['post_attention_layernorm.weight', 'ffn_norm.weight'],
  ['self_attn.q_proj.weight', 'attn_q.weight'],
  ['self_attn.k_proj.weight', 'attn_k.weight'],
  ['self_attn.v_proj.weight', 'attn_v.weight'],
  ['self_attn.o_proj.weight', 'attn_output.weight'],
  ['mlp.gate_proj.weight', 'ffn_gate.weight'],
  ['mlp.up_proj.weight', 'ffn_up.weight'],
  ['mlp.down_proj.weight', 'ffn_down.weight'],
]);

const prefixes: readonly (readonly [official: string, gguf: string])[] = [
  ['feat_encoder.', 'locenc.'],
  ['feat_decoder.estimator.', 'locdit.'],
  ['fsq_layer.', 'fsq.'],
  ['enc_to_lm_proj.', 'proj.enc_to_lm.'],
  ['lm_to_dit_proj.', 'proj.lm_to_dit.'],
  ['res_to_dit_proj.', 'proj.res_to_dit.'],
  ['fusion_concat_proj.', 'proj.fusion_concat.'],
  ['stop_', 'stop.stop_'],
];

/** The GGUF name for an official tensor name; VAE names stay unchanged. */
export function ggufName(name: string): string {
  if (name === 'base_lm.embed_tokens.weight') return 'token_embd.weight';
  for (const [official, gguf] of stacks) {
    if (!name.startsWith(official)) continue;
    const rest = name.slice(official.length);
    if (rest === 'norm.weight') return `${gguf}output_norm.weight`;
    const [, index, part = ''] = /^layers\.(\d+)\.(.+)$/.exec(rest) ?? [];
    const mapped = layerParts.get(part);
    if (index !== undefined && mapped !== undefined) return `${gguf}blk.${index}.${mapped}`;
  }
  for (const [official, gguf] of prefixes) if (name.startsWith(official)) return gguf + name.slice(official.length);
  return name;
}
