/** Exports a checkpoint to a single GGUF file with weights, config and tokenizer. */
import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { ModelLimits } from '../src/engine/backend.ts';
import { limitKeys, mergeLimits } from '../src/engine/model-limits.ts';
import { SvcError } from '../src/errors.ts';
import { toBfloat16, toHalf } from '../src/formats/float-conversion.ts';
import { elementCount } from '../src/formats/safetensors.ts';
import { readFloats, readIntegers } from '../src/formats/tensor-source.ts';
import { openCheckpoint, parseJson } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint-source.ts';
import { type MatchedTensor, matchTensors } from './expected-tensors.ts';
import { configMetadata, llamaMetadata } from './gguf/config-metadata.ts';
import { loraKey, type MetadataEntry, text, texts, u32 } from './gguf/metadata.ts';
import { ggufName } from './gguf/names.ts';
import { type StoredType, storedType, typeTraits, type VaeType, type WeightType } from './gguf/tensor-types.ts';
import { tokenizerMetadata } from './gguf/tokenizer-metadata.ts';
import { type GgufTensor, writeGguf } from './gguf/writer.ts';

/** Quantizes rows of `rowLength` values to a block type of ggml; the `quantize` function of the native addon. */
export type Quantizer = (type: string, values: Float32Array, rowLength: number) => Uint8Array;

export interface ExportProgress {
  readonly stage: 'write';
  /** Tensor bytes written so far, and in total. */
  readonly done: number;
  readonly total: number;
}

export interface GgufExport {
  /** Folder of a checkpoint, or an open checkpoint, which is closed afterwards. */
  readonly checkpoint: string | Checkpoint;
  /** Path of the output; an existing file is replaced when the new one is complete. */
  readonly output: string;
  readonly type: WeightType;
  /** Default: `f32` for type `f32`, else `f16`. */
  readonly vaeType?: VaeType | undefined;
  /** Limits to store in the model. Default: those of the checkpoint. */
  readonly limits?: ModelLimits | undefined;
  /** Required for block types. */
  readonly quantize?: Quantizer | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GgufExportResult {
  readonly bytes: number;
  /** Number of tensors of each type. */
  readonly types: Readonly<Partial<Record<StoredType, number>>>;
  /** Unused tensors of the checkpoint. */
  readonly unused: readonly string[];
}

/** Elements converted at once: 16 MiB of float32. */
const chunkElements = 4 * 1024 * 1024;

/**
 * Exports a checkpoint. Memory is bounded by a few chunks of one tensor for any size of model.
 *
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, INVALID_REQUEST, BACKEND_UNAVAILABLE, CANCELLED, IO
 * @example await exportGguf({ checkpoint: 'VoxCPM-0.5B', output: 'voxcpm.gguf', type: 'f16' });
 */
export async function exportGguf(options: GgufExport): Promise<GgufExportResult> {
  const { type, output, signal, onProgress } = options;
  const vaeType = options.vaeType ?? (type === 'f32' ? 'f32' : 'f16');
  const checkpoint =
    typeof options.checkpoint === 'string' ? await openCheckpoint(options.checkpoint) : options.checkpoint;
  try {
    await refuseOverwriting(checkpoint, output);
    const matched = matchTensors(checkpoint.config, checkpoint.tensors).filter(
      ({ expected }) => elementCount(expected.shape) > 0,
    );
    const tensors = matched.map((tensor) =>
      ggufTensor(tensor, storedType(tensor.expected, type, vaeType), options.quantize),
    );
    const metadata = exportMetadata(checkpoint, type, options.limits ?? {});
    const bytes = await writeGguf(
      output,
      { metadata, tensors },
      { signal, onProgress: onProgress && ((done, total) => onProgress({ stage: 'write', done, total })) },
    );
    const types: Partial<Record<StoredType, number>> = {};
    for (const tensor of tensors) types[tensor.type] = (types[tensor.type] ?? 0) + 1;
    const used = new Set(matched.map(({ expected }) => expected.name));
    return { bytes, types, unused: [...checkpoint.tensors.keys()].filter((name) => !used.has(name)) };
  } finally {
    await checkpoint[Symbol.asyncDispose]();
  }
}

async function refuseOverwriting(checkpoint: Checkpoint, output: string): Promise<void> {
  const target = await realpath(output).catch(() => resolve(output));
  for (const file of checkpoint.weightFiles) {
    if ((await realpath(file)) === target) {
      throw new SvcError('INVALID_REQUEST', `cannot overwrite ${output}: it is a file of the checkpoint`);
    }
  }
}

function exportMetadata(checkpoint: Checkpoint, type: WeightType, limits: ModelLimits): MetadataEntry[] {
  const { config, configText, tokenizerFiles } = checkpoint;
  const { maxTextCharacters, languages } = mergeLimits(limits, checkpoint.limits);
  return [
    ['general.architecture', text('llama')],
    ['general.name', text(modelName(checkpoint))],
    ['general.file_type', u32(typeTraits[type].fileType ?? 0)],
    ['general.quantization_version', u32(2)],
    ...llamaMetadata(config),
    ...tokenizerMetadata(tokenizerFiles, config.lm_config.vocab_size),
    ...configMetadata(config, configText),
    ...(maxTextCharacters === undefined ? [] : [[limitKeys.maxTextCharacters, u32(maxTextCharacters)] as const]),
    ...(checkpoint.loras === undefined ? [] : [[loraKey, texts(checkpoint.loras)] as const]),
    ...(languages === undefined ? [] : [[limitKeys.languages, texts(languages)] as const]),
  ];
}

/**
 * The name by the rule of VoxCPM.cpp's converter: the architecture in the config, else its name, else the folder name.
 */
function modelName(checkpoint: Checkpoint): string {
  const { architecture, model_name, name } = parseJson(checkpoint.configText, 'config.json') as Record<string, unknown>;
  if (typeof architecture === 'string') return checkpoint.config.architecture === 'voxcpm2' ? 'VoxCPM2' : 'VoxCPM';
  for (const given of [model_name, name]) if (typeof given === 'string' && given.trim() !== '') return given.trim();
  const folder = basename(resolve(checkpoint.directory)).toLowerCase();
  if (folder.includes('0.5b')) return 'VoxCPM-0.5B';
  return folder.includes('1.5') ? 'VoxCPM-1.5' : 'VoxCPM';
}

function ggufTensor(tensor: MatchedTensor, type: StoredType, quantize: Quantizer | undefined): GgufTensor {
  const { name, shape, role } = tensor.expected;
  if (typeTraits[type].blockElements > 1 && quantize === undefined) {
    throw new SvcError('BACKEND_UNAVAILABLE', `type ${type} needs the native addon`);
  }
  return {
    name: ggufName(name),
    // Snake's alpha is broadcast over time, the innermost dimension in ggml.
    shape: role === 'alpha' ? [elementCount(shape), 1] : shape,
    type,
    data: () => convert(tensor, type, quantize),
  };
}

async function* convert(
  { expected, source }: MatchedTensor,
  type: StoredType,
  quantize: Quantizer | undefined,
): AsyncGenerator<Uint8Array> {
  const elements = elementCount(expected.shape);
  if (type === 'i32') {
    yield bytesOf(await readIntegers(source, elements));
    return;
  }
  const rowLength = expected.shape.at(-1) ?? 1;
  const step = Math.max(1, Math.floor(chunkElements / rowLength)) * rowLength;
  for (let start = 0; start < elements; start += step) {
    const values = await readFloats(source, start, Math.min(step, elements - start));
    requireRepresentable(values, type, expected.name);
    yield encode(values, type, rowLength, quantize);
  }
}

function encode(
  values: Float32Array,
  type: WeightType,
  rowLength: number,
  quantize: Quantizer | undefined,
): Uint8Array {
  if (type === 'f32') return bytesOf(values);
  if (type === 'f16') return bytesOf(toHalf(values));
  if (type === 'bf16') return bytesOf(toBfloat16(values));
  return quantize?.(type, values, rowLength) ?? new Uint8Array();
}

const bytesOf = (values: Float32Array | Uint16Array | Int32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/**
 * Rejects weights that are not finite, which would make all audio NaN. Half precision, also used for the scales of
 * block types, ends at 65504.
 */
function requireRepresentable(values: Float32Array, type: WeightType, name: string): void {
  const largest = type === 'f32' || type === 'bf16' ? 3.4e38 : 65504;
  // With an index, as an iterator would take longer than the conversion.
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (Math.abs(value) <= largest) continue;
    throw new SvcError('MODEL_INVALID', `tensor "${name}" has a value out of range of ${type}: ${value}`);
  }
}
