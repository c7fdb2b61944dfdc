/** A folder on disk and onnxruntime for Node. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import type { OnnxPlatform } from './graph.ts';
import type { OnnxModelOptions } from './model.ts';
import { loadRuntime, openGraph } from './runtime.ts';

export const folderOf = (directory: string): Pick<OnnxPlatform, 'folder' | 'readText'> => ({
  folder: directory,
  readText: (file) =>
    readFile(join(directory, file), 'utf8').catch((cause: unknown) => {
      throw new SvcError('MODEL_NOT_FOUND', `expected ${file} for the ONNX model, received none in ${directory}`, {
        cause,
      });
    }),
});

/** @throws SvcError BACKEND_UNAVAILABLE */
export async function nodePlatform(options: OnnxModelOptions): Promise<OnnxPlatform> {
  const { directory, device } = options;
  const { Tensor } = await loadRuntime();
  return { ...folderOf(directory), device, Tensor, openGraph: (file) => openGraph(join(directory, file), options) };
}
