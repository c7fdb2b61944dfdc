/** Reads the limits of a model without loading it. */
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readGgufHeader } from '../formats/gguf.ts';
import type { ModelLimits } from './backend.ts';
import { findOnnxLayout } from './backends/onnx/layout.ts';
import { readManifest } from './backends/onnx/manifest.ts';
import { readSettings } from './backends/onnx/voxcpm-onnx/model-info.ts';
import { limitsOfMetadata } from './model-limits.ts';

/**
 * @param path from `resolveModelPath`
 * @throws SvcError MODEL_INVALID
 */
export async function readLimits(path: string): Promise<ModelLimits> {
  if ((await stat(path)).isDirectory()) {
    if ((await findOnnxLayout(path)) === 'voxcpm-onnx') return (await readSettings(path)).limits;
    const readText = (name: string): Promise<string> => readFile(join(path, name), 'utf8');
    return (await readManifest({ folder: path, readText })).limits;
  }
  const file = await open(path);
  try {
    const { metadata } = await readGgufHeader(file, path);
    return limitsOfMetadata((key) => metadata.get(key));
  } finally {
    await file.close();
  }
}
