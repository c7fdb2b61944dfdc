/** Opens checkpoints for lazy reading. */

import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { limitsOfConfig } from '../src/engine/model-limits.ts';
import { resolveTokenizer } from '../src/engine/text/tokenizer-files.ts';
import { SvcError, toSvcError } from '../src/errors.ts';
import { readSafetensorsHeader } from '../src/formats/safetensors.ts';
import { fileTensorSource, type TensorSource } from '../src/formats/tensor-source.ts';
import { readTorchCheckpoint } from '../src/formats/torch-checkpoint.ts';
import { isLfsPointer, lfsPointerError } from '../src/lfs-pointer.ts';
import type { Checkpoint } from './checkpoint-source.ts';
import { openGgufCheckpoint } from './gguf/gguf-checkpoint.ts';
import { parseModelConfig } from './model-config.ts';
import { foldWeightNorm } from './weight-norm.ts';

/** Maximum size of a text file, far above real ones. */
const longestText = 256 * 1024 * 1024;

/**
 * Opens a `.gguf` file of our exporter, or a checkpoint in the official layout: `config.json`, `model.safetensors` or
 * `pytorch_model.bin` (or the shards of either), `audiovae.safetensors` (or `audiovae.pth`) and `tokenizer.json`. The caller must
 * dispose it.
 *
 * @throws SvcError MODEL_NOT_FOUND if the path does not exist, MODEL_INVALID if it is not a checkpoint
 */
export async function openCheckpoint(directory: string): Promise<Checkpoint> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isFile() && directory.toLowerCase().endsWith('.gguf')) return openGgufCheckpoint(directory);
  if (found === undefined) {
    const kind = directory.toLowerCase().endsWith('.gguf') ? 'file' : 'folder';
    throw new SvcError('MODEL_NOT_FOUND', `no such ${kind}: ${directory}`);
  }
  if (!found.isDirectory()) {
    throw new SvcError('MODEL_NOT_FOUND', `${directory} is neither a checkpoint folder nor a .gguf file`);
  }
  const configText = await requireText(directory, 'config.json');
  const fields = parseJson(configText, 'config.json');
  const config = parseModelConfig(fields, 'config.json');
  const limits = limitsOfConfig(fields, 'config.json');
  const tokenizerFiles = {
    tokenizer: await requireText(directory, 'tokenizer.json'),
    tokenizerConfig: (await readText(directory, 'tokenizer_config.json')) ?? '{}',
    specialTokensMap: (await readText(directory, 'special_tokens_map.json')) ?? '{}',
  };
  const handles: FileHandle[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
  };
  try {
    const modelFiles = await findModelFiles(directory);
    const vaeFile = await findFirst(directory, ['audiovae.safetensors', 'audiovae.pth']);
    const tensors = new Map<string, TensorSource>();
    for (const file of modelFiles) {
      for (const tensor of await readWeightFile(directory, file, handles)) tensors.set(tensor.name, tensor);
    }
    for (const tensor of foldWeightNorm(await readWeightFile(directory, vaeFile, handles), vaeFile)) {
      tensors.set(`audio_vae.${tensor.name}`, { ...tensor, name: `audio_vae.${tensor.name}` });
    }
    const weightFiles = [...modelFiles, vaeFile].map((file) => join(directory, file));
    return {
      directory,
      config,
      configText,
      tokenizerFiles: { ...tokenizerFiles, tokenizer: resolveTokenizer(tokenizerFiles) },
      tensors,
      weightFiles,
      limits,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw toSvcError(error);
  }
}

/** @throws SvcError MODEL_INVALID */
export function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SvcError('MODEL_INVALID', `${source} is not valid JSON`);
  }
}

async function readText(directory: string, file: string): Promise<string | undefined> {
  const path = join(directory, file);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  if (found.size > longestText) {
    throw new SvcError('MODEL_INVALID', `${path} is larger than the limit of 256 MiB (${found.size} bytes)`);
  }
  // Skips a byte order mark, like most readers; Python's json rejects it.
  const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  if (isLfsPointer(text)) throw lfsPointerError(path);
  return text;
}

async function requireText(directory: string, file: string): Promise<string> {
  const text = await readText(directory, file);
  if (text !== undefined) return text;
  throw new SvcError('MODEL_INVALID', `${file} is missing from the checkpoint ${directory}`);
}

async function findFirst(directory: string, files: readonly string[]): Promise<string> {
  for (const file of files) if ((await stat(join(directory, file)).catch(() => undefined))?.isFile()) return file;
  throw new SvcError('MODEL_INVALID', `the checkpoint ${directory} has no ${files.join(' or ')}`);
}

const shardIndexes = ['model.safetensors.index.json', 'pytorch_model.bin.index.json'];
const indexSchema = z.object({ weight_map: z.record(z.string(), z.string().regex(/^[\w.-]+\.(safetensors|bin)$/)) });

async function findModelFiles(directory: string): Promise<readonly string[]> {
  const [safetensors = '', torch = ''] = shardIndexes;
  const found = await findFirst(directory, ['model.safetensors', safetensors, 'pytorch_model.bin', torch]);
  if (!shardIndexes.includes(found)) return [found];
  const parsed = indexSchema.safeParse(parseJson(await requireText(directory, found), found));
  if (parsed.success) return [...new Set(Object.values(parsed.data.weight_map))].sort();
  throw new SvcError('MODEL_INVALID', `${found}: weight_map must map tensors to safetensors or bin files`);
}

async function readWeightFile(
  directory: string,
  file: string,
  handles: FileHandle[],
): Promise<readonly TensorSource[]> {
  const path = join(directory, file);
  if (!(await stat(path).catch(() => undefined))?.isFile()) {
    throw new SvcError('MODEL_INVALID', `${file} is missing from the checkpoint ${directory}`);
  }
  const handle = await open(path, 'r');
  handles.push(handle);
  if (!file.endsWith('.safetensors')) return readTorchCheckpoint(handle, file);
  return (await readSafetensorsHeader(handle, file)).map((entry) => fileTensorSource(handle, entry, file));
}
