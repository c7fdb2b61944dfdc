/** Converts `config.json` to GGUF metadata, flattened like VoxCPM.cpp's `convert_voxcpm_to_gguf.py`. */
import type { ModelConfig } from '../model-config.ts';
import { f32, type GgufValue, type MetadataEntry, text, u32 } from './metadata.ts';

/**
 * A number written as a float, such as `2.0`. Python distinguishes it from `2`, so the converter stores it as float32;
 * JavaScript's parser does not.
 */
interface FloatLiteral {
  readonly float: number;
}

type Json = null | boolean | number | string | FloatLiteral | readonly Json[] | { readonly [key: string]: Json };

const isFloat = (value: Json | undefined): value is FloatLiteral =>
  typeof value === 'object' && value !== null && 'float' in value && typeof value.float === 'number';

/** Parses valid JSON and marks floats. Matches strings first, to skip numbers inside them. */
function parseWithFloats(json: string): Json {
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(json.replace(tokens, (token) => (/^[^"].*[.eE]/.test(token) ? `{"float":${token}}` : token)));
}

/** Factors are floats even if written as `1`. */
const alwaysFloat = /_(long|short)_factor$/;

function encodeNumber(value: number): GgufValue {
  if (!Number.isInteger(value)) return f32(value);
  if (value >= 0) return { type: value < 2 ** 32 ? 'u32' : 'u64', value };
  return { type: value >= -(2 ** 31) ? 'i32' : 'i64', value };
}

function encodeList(key: string, items: readonly Json[]): GgufValue | undefined {
  if (items.length === 0) return undefined;
  if (items.every((item) => typeof item === 'string')) return { type: 'string[]', value: items };
  const numbers = items.map((item) => (isFloat(item) ? item.float : item));
  if (!numbers.every((item) => typeof item === 'number')) return undefined;
  const floats = alwaysFloat.test(key) || items.some(isFloat) || numbers.some((item) => Math.abs(item) >= 2 ** 31);
  return { type: floats ? 'f32[]' : 'i32[]', value: numbers };
}

/** Maximum nesting, deeper than in any VoxCPM config. */
const deepest = 8;

function flatten(value: Json, key: string, into: Map<string, GgufValue>, depth = 0): void {
  if (value === null || depth > deepest) return;
  if (isFloat(value)) into.set(key, f32(value.float));
  else if (typeof value === 'boolean') into.set(key, u32(value ? 1 : 0));
  else if (typeof value === 'number') into.set(key, encodeNumber(value));
  else if (typeof value === 'string') into.set(key, text(value));
  else if (Array.isArray(value)) {
    const list = encodeList(key, value);
    if (list) into.set(key, list);
  } else {
    for (const [name, inner] of Object.entries(value)) flatten(inner as Json, `${key}_${name}`, into, depth + 1);
  }
}

/**
 * All fields of `config.json` as `voxcpm_<path>` in order, with official defaults for missing fields, so that readers
 * need not know them.
 */
export function configMetadata(config: ModelConfig, configText: string): MetadataEntry[] {
  const fields = new Map<string, GgufValue>();
  flatten(JSON.parse(JSON.stringify(config)), 'voxcpm', fields);
  // The `svc` field is stored under separate keys.
  const { svc: _, ...own } = parseWithFloats(configText) as { readonly [key: string]: Json };
  flatten(own, 'voxcpm', fields);
  fields.set('voxcpm_architecture', text(config.architecture));
  return [...fields].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Keys read by programs for the `llama` architecture. */
export function llamaMetadata({ lm_config: lm }: ModelConfig): MetadataEntry[] {
  return [
    ['llama.context_length', u32(lm.max_position_embeddings)],
    ['llama.embedding_length', u32(lm.hidden_size)],
    ['llama.block_count', u32(lm.num_hidden_layers)],
    ['llama.feed_forward_length', u32(lm.intermediate_size)],
    ['llama.attention.head_count', u32(lm.num_attention_heads)],
    ['llama.attention.head_count_kv', u32(lm.num_key_value_heads)],
    ['llama.attention.layer_norm_rms_epsilon', f32(lm.rms_norm_eps)],
    ['llama.rope.freq_base', f32(lm.rope_theta)],
    ['llama.vocab_size', u32(lm.vocab_size)],
  ];
}
