/** Model, device and threads from environment variables, which options override. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnnxLayout } from '../../engine/backends/onnx/layout.ts';
import { isCheckpointFolder } from '../../engine/checkpoint-folder.ts';
import type { BackendName } from '../../engine/engine-options.ts';
import { ranges } from '../../engine/request-fields.ts';
import { quote } from '../../messages.ts';
import { invalid } from '../../validation.ts';
import type { Io } from '../io.ts';
import { readVariable } from '../options/environment-variables.ts';
import { parseBackend } from '../options/model-options.ts';
import { parseNumber } from '../options/option-values.ts';

/** `SVC_DEVICE`. @throws SvcError INVALID_REQUEST */
export function deviceOf(io: Pick<Io, 'environment'>): BackendName | undefined {
  const name = readVariable(io, 'SVC_DEVICE');
  return name ? parseBackend('SVC_DEVICE')(name) : undefined;
}

/** `SVC_THREADS`. @throws SvcError INVALID_REQUEST */
export function threadsOf(io: Pick<Io, 'environment'>): number | undefined {
  const text = readVariable(io, 'SVC_THREADS');
  return text ? parseNumber('SVC_THREADS', ranges.threads)(text) : undefined;
}

/** The model in `SVC_MODELS_DIR`: the folder itself if it is an ONNX model or a checkpoint, else its only `.gguf`. */
export async function modelOfFolder(io: Pick<Io, 'environment'>): Promise<string | undefined> {
  const folder = readVariable(io, 'SVC_MODELS_DIR');
  if (!folder) return undefined;
  const names = await readdir(folder).catch(() => {
    throw invalid('a folder', 'SVC_MODELS_DIR', quote(folder));
  });
  if ((await findOnnxLayout(folder)) !== undefined || (await isCheckpointFolder(folder))) return folder;
  const models = names.filter((name) => name.toLowerCase().endsWith('.gguf'));
  const [model] = models;
  if (model !== undefined && models.length === 1) return join(folder, model);
  throw invalid(
    'a folder with one .gguf file, an ONNX model or a checkpoint',
    'SVC_MODELS_DIR',
    `${quote(folder)} with ${models.length} .gguf files`,
  );
}
