/** The ONNX platform of Node.js: a folder on disk and onnxruntime-node. */
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { refuseIrregular } from '../../../files/file-system.ts';
import { isLfsPointer, lfsPointerError, refuseLfsPointer } from '../../../lfs-pointer.ts';
import type { OnnxPlatform } from './graph.ts';
import type { OnnxModelOptions } from './model.ts';
import { loadRuntime, openGraph } from './runtime.ts';

export const folderOf = (directory: string): Pick<OnnxPlatform, 'folder' | 'readText'> => ({
  folder: directory,
  readText: (file) => readModelText(directory, file),
});

/** Limit for text files of a model: manifest, settings, tokenizer. */
const longestText = 256 * 1024 * 1024;

/** @throws SvcError MODEL_NOT_FOUND; MODEL_INVALID if it is too large or not a regular file */
export async function readModelText(directory: string, file: string): Promise<string> {
  const path = join(directory, file);
  const invalid = (problem: string): SvcError => new SvcError('MODEL_INVALID', `${path} ${problem}`);
  await refuseIrregular(path, (kind) => invalid(`is ${kind}, not a text file`));
  try {
    const { size } = await stat(path);
    if (size > longestText) throw invalid(`is larger than the limit of 256 MiB (${size} bytes)`);
    const text = await readFile(path, 'utf8');
    if (isLfsPointer(text)) throw lfsPointerError(path);
    return text;
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError('MODEL_NOT_FOUND', `${file} is missing from the ONNX model ${directory}`, { cause });
  }
}

/**
 * Checks the folder before a runtime opens files named in graphs: it must contain only files and folders, and the files
 * must have the sizes in the manifest.
 *
 * @throws SvcError MODEL_INVALID
 */
export async function checkModelFolder(
  directory: string,
  sizes: Readonly<Record<string, { readonly bytes: number }>> = {},
): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || found.isDirectory()) continue;
    if (!found.isFile()) throw new SvcError('MODEL_INVALID', `${path} is a pipe or device, not a file`);
    if (!/\.(onnx|data)$/.test(name)) continue;
    await using handle = await open(path);
    await refuseLfsPointer(handle, path);
  }
  for (const [file, { bytes }] of Object.entries(sizes)) {
    const found = await stat(join(directory, file)).catch(() => undefined);
    if (found?.size === bytes) continue;
    const problem =
      found === undefined
        ? `${file} is missing from the ONNX model ${directory}`
        : `${join(directory, file)} has ${found.size} bytes, expected ${bytes}`;
    throw new SvcError('MODEL_INVALID', problem);
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
