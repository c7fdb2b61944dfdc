import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A tensor of `golden.safetensors`; shape outermost dimension first. */
export interface GoldenTensor {
  readonly shape: number[];
  readonly data: Float32Array | Int32Array;
}

/** A text and its tokens; `core` is after whitespace normalization, null if rejected as blank. */
export interface TokenizerCase {
  readonly text: string;
  readonly raw_tokens: readonly string[];
  readonly tokens: readonly string[];
  readonly ids: readonly number[];
  readonly core_text: string | null;
  readonly core_ids: readonly number[] | null;
}

/** A complete run of the official implementation. `patches` counts generated ones, without context. */
export interface GoldenRun {
  readonly text: string;
  readonly prompt_text: string | null;
  readonly prompt_wav: string | null;
  readonly reference_wav: string | null;
  readonly seed: number;
  readonly min_len: number;
  readonly max_len: number;
  readonly effective_max_len: number;
  readonly inference_timesteps: number;
  readonly cfg_value: number;
  readonly streaming: boolean;
  readonly retry_badcase: boolean;
  readonly text_token: readonly number[];
  readonly text_mask: readonly number[];
  readonly audio_mask: readonly number[];
  readonly num_patches: number;
  readonly stop_flags: readonly number[];
  readonly stopped_early: boolean;
  readonly context_patches: number | null;
  readonly wav_len: number;
  readonly chunk_lens: readonly number[] | null;
  readonly attempt_patches?: readonly number[];
}

/** Sizes derived from the checkpoint's configuration. */
export interface GoldenSizes {
  readonly patch_size: number;
  readonly feat_dim: number;
  readonly encode_sample_rate: number;
  readonly output_sample_rate: number;
  readonly hop_encode: number;
  readonly hop_decode: number;
  readonly samples_per_patch_in: number;
  readonly samples_per_patch_out: number;
  readonly vocab_size: number;
  readonly streaming_prefix_len: number;
  readonly mu_tokens: number;
}

export interface GoldenEntry {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly desc: string;
  readonly absmax?: number;
}

export interface Golden {
  readonly name: string;
  readonly architecture: 'voxcpm' | 'voxcpm2';
  readonly derived: GoldenSizes;
  readonly wavs: Readonly<
    Record<string, { readonly sample_rate: number; readonly frames: number; readonly channels: number }>
  >;
  readonly tokenizer: readonly TokenizerCase[];
  readonly runs: Readonly<Record<string, GoldenRun>>;
  readonly cfm_estimator_calls: Readonly<Record<string, number>>;
  readonly entries: Readonly<Record<string, GoldenEntry>>;
  /** Largest allowed absolute difference of each entry that is not an input. */
  readonly tol: Readonly<Record<string, number>>;
}

/** `golden.json` of a fixture folder. */
export const readGolden = (directory: string): Golden =>
  JSON.parse(readFileSync(join(directory, 'golden.json'), 'utf8')) as Golden;

interface Header {
  readonly dtype: string;
  readonly shape: number[];
  readonly data_offsets: readonly [number, number];
}

/** Reads all float32, int32 and int64 tensors of a safetensors file; int64 is narrowed. Throws for other types. */
export function readSafetensors(path: string): Map<string, GoldenTensor> {
  const file = readFileSync(path);
  const headerLength = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerLength)) as Record<string, Header>;
  const tensors = new Map<string, GoldenTensor>();
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    // Copied, since tensors in the file need not be aligned.
    const [begin, end] = data_offsets.map((offset) => offset + 8 + headerLength);
    const bytes = new Uint8Array(file.subarray(begin, end)).buffer;
    tensors.set(name, { shape, data: decode(dtype, bytes, name) });
  }
  return tensors;
}

function decode(dtype: string, bytes: ArrayBuffer, name: string): Float32Array | Int32Array {
  switch (dtype) {
    case 'F32':
      return new Float32Array(bytes);
    case 'I32':
      return new Int32Array(bytes);
    case 'I64':
      return Int32Array.from(new BigInt64Array(bytes), Number);
    default:
      throw new Error(`tensor ${name} must be F32, I32 or I64, got ${dtype}`);
  }
}
