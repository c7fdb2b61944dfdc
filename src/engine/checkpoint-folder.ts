import { readdir, stat } from 'node:fs/promises';
import { findOnnxLayout } from './backends/onnx/layout.ts';

const weightFiles: readonly string[] = ['model.safetensors', 'pytorch_model.bin'];

/** Whether a path is a folder that holds a checkpoint as published, and no ONNX model. */
export async function isCheckpointFolder(path: string): Promise<boolean> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder || (await findOnnxLayout(path)) !== undefined) return false;
  const names = await readdir(path);
  const hasWeights = weightFiles.some((name) => names.includes(name) || names.includes(`${name}.index.json`));
  return hasWeights && names.includes('config.json');
}
