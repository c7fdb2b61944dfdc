/**
 * Reads VoxCPM in the two GGUF files of llama.cpp-omni (`convert_voxcpm2_to_gguf.py`): the base language model, which
 * llama.cpp reads (architecture `minicpm4`), and everything else (architecture `voxcpm-acoustic`, keys `voxcpm.*`).
 */
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TokenizerFiles } from '../../src/engine/text/tokenizer-files.ts';
import { SvcError } from '../../src/errors.ts';
import { type GgufHeader, type GgufValue, readGgufHeader } from '../../src/formats/gguf.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readFloats, type TensorSource } from '../../src/formats/tensor-source.ts';
import type { Checkpoint } from '../checkpoint-source.ts';
import { type ExpectedTensor, expectedTensors } from '../expected-tensors.ts';
import { type ModelConfig, parseModelConfig } from '../model-config.ts';
import { ggufName } from './names.ts';
import { tensorOf } from './tensor-of.ts';

const halves = {
  base: { architecture: /^minicpm4?$/i, word: 'BaseLM' },
  acoustic: { architecture: /^voxcpm-acoustic$/i, word: 'Acoustic' },
} as const;

type Half = keyof typeof halves;

/** Which of the two files a header belongs to, if any. */
export function halfOf({ metadata }: GgufHeader): Half | undefined {
  const architecture = String(metadata.get('general.architecture'));
  if (halves.acoustic.architecture.test(architecture)) return 'acoustic';
  return halves.base.architecture.test(architecture) ? 'base' : undefined;
}

interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly size: number;
  readonly header: GgufHeader;
}

/**
 * Opens both files; the caller must dispose the checkpoint.
 *
 * @param path either file; the other must be in the same folder
 * @throws SvcError MODEL_INVALID
 */
export async function openLlamaOmni(path: string, half: Half): Promise<Checkpoint> {
  const other = await findOther(path, half);
  const handles: FileHandle[] = [];
  const openFile = async (file: string): Promise<OpenFile> => {
    const handle = await open(file, 'r');
    handles.push(handle);
    return { path: file, handle, size: (await handle.stat()).size, header: await readGgufHeader(handle, file) };
  };
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
  };
  try {
    const base = await openFile(half === 'base' ? path : other);
    const acoustic = await openFile(half === 'base' ? other : path);
    for (const [file, expected] of [
      [base, 'base'],
      [acoustic, 'acoustic'],
    ] as const) {
      if (halfOf(file.header) !== expected)
        throw invalid(file.path, `not the ${halves[expected].word} file of ${path}`);
    }
    const fields = await configOf(base, acoustic);
    const config = parseModelConfig(fields, acoustic.path);
    return {
      directory: path,
      config,
      configText: JSON.stringify(fields),
      tokenizerFiles: tokenizerOf(base),
      tensors: new Map(tensorsOf(config, base, acoustic)),
      weightFiles: [base.path, acoustic.path],
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const invalid = (path: string, problem: string): SvcError => new SvcError('MODEL_INVALID', `${path}: ${problem}`);

/** Finds the companion file: same name with one word exchanged, or the only one with that word; types may differ. */
async function findOther(path: string, half: Half): Promise<string> {
  const [own, wanted] = half === 'base' ? ['BaseLM', 'Acoustic'] : ['Acoustic', 'BaseLM'];
  const ownName = basename(path).toLowerCase();
  const sameName = ownName.replace(own.toLowerCase(), wanted.toLowerCase());
  const found = (await readdir(dirname(path))).filter((file) => {
    const name = file.toLowerCase();
    return name !== ownName && name.includes(wanted.toLowerCase()) && name.endsWith('.gguf');
  });
  const file = found.find((name) => name.toLowerCase() === sameName) ?? (found.length === 1 ? found[0] : undefined);
  if (file !== undefined) return join(dirname(path), file);
  throw invalid(
    path,
    `this is one of two files of llama.cpp-omni; put the other, such as "VoxCPM2-${wanted}-F16.gguf", into the same folder`,
  );
}

/** 64-bit integers become numbers, as in `config.json`; of those beyond 2^53, none is valid. */
const plain = (value: GgufValue | undefined): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' ? Number(value) : value;
};

function numbers({ path, header: { metadata } }: OpenFile): (key: string) => number {
  return (key) => {
    const value = plain(metadata.get(key));
    if (typeof value === 'number') return value;
    throw invalid(path, `metadata key ${key} is ${value === undefined ? 'missing' : 'no number'}`);
  };
}

/** Width of a head; the longest of VoxCPM's models is 128. */
const longestHead = 1024;

function headLength(file: OpenFile, key: string): number {
  const value = numbers(file)(key);
  if (Number.isInteger(value) && value >= 2 && value <= longestHead && value % 2 === 0) return value;
  throw invalid(file.path, `metadata key ${key} must be an even integer from 2 to ${longestHead}, got ${value}`);
}

const shapeOf = ({ header, path }: OpenFile, name: string): readonly [number, number] => {
  const shape = header.tensors.find((tensor) => tensor.name === name)?.shape;
  if (shape?.length !== 2) throw invalid(path, `matrix "${name}" is missing`);
  return [shape[0] ?? 0, shape[1] ?? 0];
};

/** The fields of `config.json` that the files keep, in keys or in shapes; the others have their defaults. */
async function configOf(base: OpenFile, acoustic: OpenFile): Promise<Record<string, unknown>> {
  const architecture = String(base.header.metadata.get('general.architecture'));
  const read = (key: string): unknown => plain(acoustic.header.metadata.get(`voxcpm.${key}`));
  const [inBase, inAcoustic] = [numbers(base), numbers(acoustic)];
  const lm = (key: string): number => inBase(`${architecture}.${key}`);
  const given = (key: string): number => inAcoustic(`voxcpm.${key}`);
  const layers = lm('block_count');
  const keyHeads = lm('attention.head_count_kv');
  const headDim = headLength(base, `${architecture}.attention.key_length`);
  const embeddingScale = lm('embedding_scale');
  // Local stacks have their heads in the shapes only.
  const stack = (name: 'locenc' | 'locdit') => ({
    hidden_dim: given(`${name}.n_embd`),
    num_layers: given(`${name}.n_layer`),
    ffn_dim: shapeOf(acoustic, `${name}.blk.0.ffn_gate.weight`)[0],
    num_heads: shapeOf(acoustic, `${name}.blk.0.attn_q.weight`)[0] / headDim,
    kv_channels: headDim,
  });
  const boundaries = read('audiovae.sr_bin_boundaries');
  return {
    architecture: acoustic.header.tensors.some(({ name }) => name === 'projections.res_fusion_proj.weight')
      ? 'voxcpm2'
      : 'voxcpm',
    lm_config: {
      bos_token_id: inBase('tokenizer.ggml.bos_token_id'),
      eos_token_id: inBase('tokenizer.ggml.eos_token_id'),
      hidden_size: lm('embedding_length'),
      intermediate_size: lm('feed_forward_length'),
      max_position_embeddings: lm('context_length'),
      num_attention_heads: lm('attention.head_count'),
      num_hidden_layers: layers,
      num_key_value_heads: keyHeads,
      rms_norm_eps: lm('attention.layer_norm_rms_epsilon'),
      rope_theta: lm('rope.freq_base'),
      kv_channels: headDim,
      vocab_size: lm('vocab_size'),
      // The scales are zero without muP.
      use_mup: embeddingScale !== 0,
      scale_emb: embeddingScale,
      scale_depth: lm('residual_scale') * Math.sqrt(layers),
      dim_model_base: Math.round(lm('logit_scale') * lm('embedding_length')),
      rope_scaling: await ropeScaling(base, architecture, headDim),
    },
    patch_size: given('patch_size'),
    feat_dim: given('feat_dim'),
    residual_lm_num_layers: given('residual_lm.n_layer'),
    residual_lm_no_rope: read('residual_lm.no_rope') === true,
    scalar_quantization_latent_dim: given('fsq.latent_dim'),
    scalar_quantization_scale: given('fsq.scale'),
    encoder_config: stack('locenc'),
    dit_config: {
      ...stack('locdit'),
      cfm_config: { sigma_min: given('cfm.sigma_min'), inference_cfg_rate: given('cfm.cfg_rate') },
    },
    audio_vae_config: {
      encoder_dim: given('audiovae.encoder_dim'),
      encoder_rates: read('audiovae.encoder_rates'),
      latent_dim: given('audiovae.latent_dim'),
      decoder_dim: given('audiovae.decoder_dim'),
      decoder_rates: read('audiovae.decoder_rates'),
      sample_rate: given('audiovae.sample_rate'),
      out_sample_rate: given('audiovae.out_sample_rate'),
      sr_bin_boundaries: boundaries ?? null,
      cond_type: boundaries === undefined ? undefined : read('audiovae.cond_type'),
    },
  };
}

async function ropeScaling(base: OpenFile, architecture: string, headDim: number): Promise<Record<string, unknown>> {
  const factors = async (name: string): Promise<readonly number[]> => {
    const info = base.header.tensors.find((tensor) => tensor.name === name);
    if (info === undefined) return new Array<number>(headDim / 2).fill(1);
    if (elementCount(info.shape) !== headDim / 2)
      throw invalid(base.path, `tensor ${name} must have ${headDim / 2} elements, got ${elementCount(info.shape)}`);
    const source = tensorOf(base.handle, base.size, base.header, info, name);
    return [...(await readFloats(source, 0, elementCount(info.shape)))];
  };
  const key = (name: string): unknown => plain(base.header.metadata.get(`${architecture}.${name}`));
  return {
    type: 'longrope',
    original_max_position_embeddings: key('rope.scaling.original_context_length') ?? key('context_length'),
    long_factor: await factors('rope_factors_long.weight'),
    short_factor: await factors('rope_factors_short.weight'),
  };
}

const renamed: readonly (readonly [ours: RegExp, theirs: string])[] = [
  [/^(locenc|locdit)\.output_norm\./, '$1.norm.'],
  [/^locenc\.special_token$/, 'locenc.cls_token.weight'],
  [/^proj\.fusion_concat\./, 'projections.res_fusion_proj.'],
  [/^proj\.(\w+)\./, 'projections.$1_proj.'],
  [/^stop\.stop_proj\./, 'stop_predictor.linear1.'],
  [/^stop\.stop_head\./, 'stop_predictor.linear2.'],
  [/^(audio_vae\..+)\.weight$/, '$1'],
];

function theirName(official: string): string {
  const ours = ggufName(official);
  for (const [pattern, theirs] of renamed) if (pattern.test(ours)) return ours.replace(pattern, theirs);
  return ours;
}

function tensorsOf(config: ModelConfig, base: OpenFile, acoustic: OpenFile): (readonly [string, TensorSource])[] {
  const byName = new Map(acoustic.header.tensors.map((tensor) => [tensor.name, { tensor, file: acoustic }]));
  for (const tensor of base.header.tensors) byName.set(tensor.name, { tensor, file: base });
  return expectedTensors(config).flatMap(({ name, shape, role }: ExpectedTensor) => {
    const found = byName.get(theirName(name));
    // Integers are in the keys, too. The special token and Snake's alphas have fewer dimensions in the file.
    if (found === undefined || role === 'integers' || elementCount(found.tensor.shape) !== elementCount(shape))
      return [];
    const { handle, size, header } = found.file;
    return [[name, tensorOf(handle, size, header, { ...found.tensor, shape }, name)] as const];
  });
}

/** Types of the token table: unknown, control and user-defined tokens match literally; unused ids have no token. */
const [unknownType, unusedType] = [2, 5];
const literalTypes = new Set([unknownType, 3, 4]);

/** The files that the table describes. It lacks `legacy`, which published models set. */
function tokenizerOf({ path, header: { metadata } }: OpenFile): TokenizerFiles {
  const list = (key: string): readonly GgufValue[] => {
    const value = metadata.get(`tokenizer.ggml.${key}`);
    if (Array.isArray(value)) return value;
    throw invalid(path, `the file has no tokenizer: metadata key tokenizer.ggml.${key} is missing`);
  };
  const tokens = list('tokens').map(String);
  const types = list('token_type').map(Number);
  const contentOf = (key: string): string | undefined => tokens[Number(metadata.get(`tokenizer.ggml.${key}_token_id`))];
  const unknown = contentOf('unknown') ?? '<unk>';
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  return {
    tokenizer: JSON.stringify({
      version: '1.0',
      added_tokens: tokens.flatMap((content, id) =>
        literalTypes.has(types[id] ?? 0) ? [{ id, content, ...flags, special: types[id] !== 4 }] : [],
      ),
      normalizer: null,
      pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false },
      post_processor: null,
      decoder: null,
      model: {
        type: 'BPE',
        unk_token: unknown,
        fuse_unk: true,
        byte_fallback: true,
        vocab: Object.fromEntries(tokens.flatMap((token, id) => (types[id] === unusedType ? [] : [[token, id]]))),
        merges: list('merges'),
      },
    }),
    tokenizerConfig: JSON.stringify({
      bos_token: contentOf('bos'),
      eos_token: contentOf('eos'),
      unk_token: unknown,
      add_bos_token: metadata.get('tokenizer.ggml.add_bos_token'),
      add_eos_token: metadata.get('tokenizer.ggml.add_eos_token'),
    }),
    specialTokensMap: '{}',
  };
}
