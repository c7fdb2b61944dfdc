/** Which model and device, from the environment: what is said on the command line goes before it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnnxLayout } from '../../engine/backends/onnx/layout.ts';
import { type BackendName, backendNames } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import { invalidOption } from '../options/options.ts';

/**
 * `SVC_DEVICE`.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function deviceOf({ environment: { SVC_DEVICE: name } }: Pick<Io, 'environment'>): BackendName | undefined {
  if (!name) return undefined;
  const found = backendNames.find((candidate) => candidate === name.toLowerCase());
  if (found === undefined) throw invalidOption(`one of ${backendNames.join(', ')}`, 'SVC_DEVICE', name);
  return found;
}

/**
 * The model of `SVC_MODELS_DIR`: the folder itself when it holds an ONNX model, else its one `.gguf` file.
 *
 * @throws SvcError INVALID_REQUEST
 */
export async function modelOfFolder({
  environment: { SVC_MODELS_DIR: folder },
}: Pick<Io, 'environment'>): Promise<string | undefined> {
  if (!folder) return undefined;
  const names = await readdir(folder).catch(() => {
    throw invalidOption('a folder', 'SVC_MODELS_DIR', folder);
  });
  if ((await findOnnxLayout(folder)) !== undefined) return folder;
  const models = names.filter((name) => name.toLowerCase().endsWith('.gguf'));
  const [model] = models;
  if (model !== undefined && models.length === 1) return join(folder, model);
  throw invalidOption(
    'a folder with one .gguf file or an ONNX model',
    'SVC_MODELS_DIR',
    `${folder}, which has ${models.length} .gguf files`,
  );
}
