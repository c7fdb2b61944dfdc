/** Detects the layout of an ONNX folder by its file names. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestName } from './manifest.ts';

export type OnnxLayout = 'exported' | 'voxcpm-onnx';

/** Files exported by VoxCPM-ONNX. */
export const voxcpmOnnxFiles = {
  encoder: 'audio_vae_encoder.onnx',
  decoder: 'audio_vae_decoder.onnx',
  prefill: 'voxcpm_prefill.onnx',
  step: 'voxcpm_decode_step.onnx',
  tokenizer: 'tokenizer.json',
} as const;

const isFile = async (directory: string, file: string): Promise<boolean> =>
  (await stat(join(directory, file)).catch(() => undefined))?.isFile() === true;

/** Undefined if the folder holds no ONNX model. */
export async function findOnnxLayout(directory: string): Promise<OnnxLayout | undefined> {
  if (await isFile(directory, manifestName)) return 'exported';
  return (await isFile(directory, voxcpmOnnxFiles.step)) ? 'voxcpm-onnx' : undefined;
}
