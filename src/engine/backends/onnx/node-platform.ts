/** A folder on disk and onnxruntime for Node. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { refuseIrregular } from '../../../files.ts';
import type { OnnxPlatform } from './graph.ts';
import type { OnnxModelOptions } from './model.ts';
import { loadRuntime, openGraph } from './runtime.ts';

export const folderOf = (directory: string): Pick<OnnxPlatform, 'folder' | 'readText'> => ({
  folder: directory,
  readText: (file) => readModelText(directory, file),
});

/** Texts of a model: manifest, settings, tokenizer. */
const longestText = 256 * 1024 * 1024;

/** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID for what is no file or longer than any */
export async function readModelText(directory: string, file: string): Promise<string> {
  const path = join(directory, file);
  const invalid = (received: string): SvcError =>
    new SvcError('MODEL_INVALID', `expected a text file as ${file} of the ONNX model, received ${received}: ${path}`);
  await refuseIrregular(path, invalid);
  try {
    const { size } = await stat(path);
    if (size > longestText) throw invalid(`${size} bytes`);
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError('MODEL_NOT_FOUND', `expected ${file} for the ONNX model, received none in ${directory}`, {
      cause,
    });
  }
}

/**
 * Checks the folder before a runtime opens files that graphs name: all that is there is a file or a folder, and files have the
 * sizes that the manifest says.
 *
 * @throws SvcError MODEL_INVALID
 */
export async function checkModelFolder(
  directory: string,
  sizes: Readonly<Record<string, { readonly bytes: number }>> = {},
): Promise<void> {
  for (const name of await readdir(directory)) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    if (found === undefined || found.isFile() || found.isDirectory()) continue;
    throw new SvcError(
      'MODEL_INVALID',
      `expected files in the ONNX model ${directory}, received a pipe or device: ${name}`,
    );
  }
  for (const [file, { bytes }] of Object.entries(sizes)) {
    const found = await stat(join(directory, file)).catch(() => undefined);
    if (found?.size === bytes) continue;
    const received = found === undefined ? 'none' : `${found.size} bytes (truncated?)`;
    throw new SvcError(
      'MODEL_INVALID',
      `expected ${bytes} bytes for ${file} of the ONNX model, received ${received}: ${directory}`,
    );
  }
}

/** @throws SvcError BACKEND_UNAVAILABLE */
export async function nodePlatform(options: OnnxModelOptions): Promise<OnnxPlatform> {
  const { directory, device } = options;
  const { Tensor } = await loadRuntime();
  return {
    ...folderOf(directory),
    device,
    Tensor,
    checkFiles: (sizes) => checkModelFolder(directory, sizes),
    openGraph: (file) => openGraph(join(directory, file), options),
  };
}
