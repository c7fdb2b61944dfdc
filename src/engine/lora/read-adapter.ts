/** Reads LoRA adapters in the files of the official trainer. */
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SvcError } from '../../errors.ts';
import { elementBytes, elementCount, readSafetensorsHeader } from '../../formats/safetensors.ts';
import { fileTensorSource, readFloats, type TensorSource } from '../../formats/tensor-source.ts';
import { readTorchCheckpoint } from '../../formats/torch-checkpoint.ts';
import { type LoraConfig, parseLoraConfig } from './lora-config.ts';
import type { LoraUpdate, LoraWeights } from './lora-weights.ts';

export interface LoraDescription {
  /** Path of the file with the weights. */
  readonly path: string;
  readonly rank: number;
  readonly alpha: number;
  /** The model that the adapter was trained for, if the trainer recorded it. */
  readonly baseModel?: string | undefined;
  /** Official names of the adapted matrices, in the order of the file. */
  readonly targets: readonly string[];
  readonly parameters: number;
  /** Size in memory, as float32. */
  readonly bytes: number;
  /** Changes with the files. */
  readonly version: string;
}

export interface LoraOptions {
  /** Overrides the alpha of `lora_config.json`; required if that file is missing. */
  readonly alpha?: number | undefined;
  /** Gives the path to open in place of a file's path; rejects if it must not be read (default: any file may be). */
  readonly locate?: ((path: string) => Promise<string>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const loraWeightFiles = ['lora_weights.safetensors', 'lora_weights.ckpt'] as const;
export const loraConfigFile = 'lora_config.json';

/** Far above the adapters of the largest model: 0.6 GB at rank 256. */
const largestFile = 2 * 1024 ** 3;
const largestConfig = 1024 ** 2;

/**
 * Reads an adapter: a folder with `lora_weights.safetensors` or `lora_weights.ckpt`, or such a file itself.
 * `lora_config.json` is read from the same folder; updates that it disables are left out, as in the official
 * implementation.
 *
 * @throws SvcError MODEL_NOT_FOUND if the path has no adapter, MODEL_INVALID if it can't be used
 */
export async function readAdapter(
  path: string,
  options: LoraOptions = {},
): Promise<{ readonly weights: LoraWeights; readonly description: LoraDescription }> {
  const { updates, description } = await readFiles(path, options);
  const alpha = options.alpha ?? description.alpha;
  if (alpha === undefined) {
    const problem = `${path}: alpha is unknown because there is no ${loraConfigFile} that states it; set --lora-alpha`;
    throw new SvcError('MODEL_INVALID', problem, { param: 'alpha' });
  }
  return { weights: { scale: alpha / description.rank, updates }, description: { ...description, alpha } };
}

/** The description of an adapter, with its alpha if it is known. @throws SvcError as `readAdapter` */
export async function describeAdapter(path: string) {
  const { description, tensors } = await readFiles(path);
  return { ...description, tensors };
}

async function readFiles(path: string, { locate = async (file) => file, signal }: LoraOptions = {}) {
  const file = await findWeights(path);
  const source = basename(file);
  const config = await readConfig(dirname(file), locate);
  const handle = await open(await locate(file), 'r');
  try {
    const { size, mtimeMs } = await handle.stat();
    if (size > largestFile) throw invalid(file, `larger than the limit of 2 GiB (${size} bytes)`);
    const pairs = pairUp(await readTensors(handle, source), source);
    const loaded = [...pairs].filter(([target]) => config?.loads(target) ?? true);
    const [first] = loaded;
    if (first === undefined)
      throw invalid(source, pairs.size === 0 ? 'it has no tensors' : `${loraConfigFile} disables all of its tensors`);
    const stored = loaded.reduce((sum, [, { a, b }]) => sum + bytesIn(a) + bytesIn(b), 0);
    // Tensors of a checkpoint may be views of the same bytes: a small file would take any amount of memory.
    if (!(stored <= size)) throw invalid(source, `its tensors have ${stored} bytes, more than the file (${size})`);
    const rank = config?.rank ?? first[1].a.shape[0] ?? 0;
    const updates: LoraUpdate[] = [];
    for (const [target, pair] of loaded) {
      signal?.throwIfAborted();
      updates.push(await readUpdate(target, pair, rank, source));
    }
    const parameters = updates.reduce((sum, { a, b }) => sum + a.length + b.length, 0);
    const targets = updates.map(({ target }) => target);
    const { baseModel, alpha } = config ?? {};
    const version = JSON.stringify([size, mtimeMs, config?.version]);
    const tensors = loaded.flatMap(([, { a, b }]) => [a, b]);
    const bytes = 4 * parameters;
    return {
      updates,
      tensors,
      description: { path: file, rank, alpha, baseModel, targets, parameters, bytes, version },
    };
  } finally {
    await handle.close();
  }
}

/** Path of the file with an adapter's weights. @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID */
async function findWeights(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) {
    if (/\.(safetensors|ckpt|pth|pt|bin)$/i.test(path)) return path;
    const problem = `is not a LoRA adapter: expected ${loraWeightFiles.join(' or ')}, or a folder with one`;
    throw new SvcError('MODEL_INVALID', `${path} ${problem}`);
  }
  if (!found?.isDirectory()) throw new SvcError('MODEL_NOT_FOUND', `no such LoRA adapter: ${path}`);
  for (const name of loraWeightFiles) {
    const file = join(path, name);
    if ((await stat(file).catch(() => undefined))?.isFile()) return file;
  }
  throw new SvcError('MODEL_NOT_FOUND', `${path} is not a LoRA adapter: it has no ${loraWeightFiles.join(' or ')}`);
}

async function readConfig(
  folder: string,
  locate: (path: string) => Promise<string>,
): Promise<(LoraConfig & { readonly version: readonly number[] }) | undefined> {
  const path = join(folder, loraConfigFile);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  if (found.size > largestConfig) throw invalid(path, `larger than the limit of 1 MiB (${found.size} bytes)`);
  const config = parseLoraConfig(await readFile(await locate(path), 'utf8'), loraConfigFile);
  return { ...config, version: [found.size, found.mtimeMs] };
}

async function readTensors(handle: FileHandle, source: string): Promise<readonly TensorSource[]> {
  if (!source.endsWith('.safetensors')) return readTorchCheckpoint(handle, source);
  return (await readSafetensorsHeader(handle, source)).map((entry) => fileTensorSource(handle, entry, source));
}

interface Pair {
  readonly a: TensorSource;
  readonly b: TensorSource;
}

const layer = /(base_lm|residual_lm|feat_decoder\.estimator\.decoder)\.layers\.\d{1,4}/.source;
const module = /(self_attn\.[qkvo]_proj|mlp\.(gate|up|down)_proj)/.source;
const projection = /(enc_to_lm|lm_to_dit|res_to_dit|fusion_concat)_proj/.source;
const keyPattern = new RegExp(`^((?:${layer}\\.${module})|(?:${projection}))\\.lora_([AB])$`);

function pairUp(tensors: readonly TensorSource[], source: string): Map<string, Pair> {
  const found = new Map<string, Partial<Pair>>();
  for (const tensor of tensors) {
    const match = keyPattern.exec(tensor.name);
    const target = match?.[1];
    if (target === undefined) throw invalid(source, `tensor ${quoted(tensor.name)} is not part of a LoRA adapter`);
    const side = match?.at(-1) === 'A' ? 'a' : 'b';
    const pair = found.get(target) ?? {};
    if (pair[side]) throw invalid(source, `tensor ${quoted(tensor.name)} occurs twice`);
    found.set(target, { ...pair, [side]: tensor });
  }
  const pairs = new Map<string, Pair>();
  for (const [target, { a, b }] of found) {
    if (!a || !b) throw invalid(source, `tensor "${target}.lora_${a ? 'B' : 'A'}" is missing`);
    pairs.set(target, { a, b });
  }
  return pairs;
}

const bytesIn = ({ shape, dtype }: TensorSource): number => elementCount(shape) * elementBytes[dtype];

async function readUpdate(target: string, { a, b }: Pair, rank: number, source: string): Promise<LoraUpdate> {
  for (const [axis, tensor] of [a, b].entries()) {
    const shape = tensor.shape.join('×');
    if (tensor.shape.length !== 2 || elementCount(tensor.shape) === 0)
      throw invalid(source, `tensor "${tensor.name}" has shape ${shape}, expected two dimensions`);
    if (tensor.shape[axis] !== rank)
      throw invalid(source, `tensor "${tensor.name}" has shape ${shape}, which does not fit rank ${rank}`);
  }
  return { target, rank, a: await readFinite(a, source), b: await readFinite(b, source) };
}

async function readFinite(tensor: TensorSource, source: string): Promise<Float32Array> {
  if (!['F32', 'F16', 'BF16'].includes(tensor.dtype))
    throw invalid(source, `tensor "${tensor.name}" has type ${tensor.dtype}, expected F32, F16 or BF16`);
  const values = await readFloats(tensor, 0, elementCount(tensor.shape));
  if (!values.every(Number.isFinite)) throw invalid(source, `tensor "${tensor.name}" has values that are not finite`);
  return values;
}

const invalid = (source: string, problem: string): SvcError => new SvcError('MODEL_INVALID', `${source}: ${problem}`);

/** Quotes a name from a file for a message: bounded, one line. */
const quoted = (name: string): string => JSON.stringify(name.slice(0, 120));
