import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expectedTensors } from '../../../export/expected-tensors.ts';
import type { Quantizer } from '../../../export/export-gguf.ts';
import { storedBytes, storedType, typeTraits, type WeightType } from '../../../export/gguf/tensor-types.ts';
import { parseModelConfig } from '../../../export/model-config.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import { makeFolder, replaceWhole, requireSpace } from '../../files/file-system.ts';
import { elementCount } from '../../formats/safetensors.ts';
import type { BenchEngine } from '../configuration.ts';
import { syntheticCheckpoint } from './checkpoint.ts';
import { type PublishedModel, publishedConfig } from './published-configs.ts';
import { quantizeOnce } from './quantize-once.ts';

export interface SyntheticModel {
  readonly model: PublishedModel;
  readonly type: WeightType;
  readonly engine: BenchEngine;
  readonly cacheFolder: string;
  /** Required for block types. */
  readonly quantize: Quantizer | undefined;
  readonly signal: AbortSignal;
  /** Called while a model is written; not called if it exists. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Part of every file name, to distinguish files from older kinds of weights. */
const kind = 'synthetic1';

export const syntheticFolder = (cacheFolder: string): string => join(cacheFolder, 'bench');

/** The ONNX precision for a weight type: the same number of bits per weight, or the next larger. */
export const onnxPrecision = (type: WeightType): keyof typeof modelPrecisions => {
  if (type === 'f32' || type === 'bf16') return 'f32';
  if (type === 'f16') return 'f16';
  return typeTraits[type].blockBytes / typeTraits[type].blockElements < 0.6 ? 'q4' : 'q8';
};

/**
 * Returns the path of the model; writes it first if it doesn't exist.
 *
 * @throws SvcError IO if the disk is full, CANCELLED
 */
export async function syntheticModel(wanted: SyntheticModel): Promise<string> {
  const { model, type, engine, cacheFolder } = wanted;
  const folder = syntheticFolder(cacheFolder);
  const path =
    engine === 'native'
      ? join(folder, `${kind}-${model}-${type}.gguf`)
      : join(folder, `${kind}-${model}-onnx-${onnxPrecision(type)}`);
  if (await stat(path).catch(() => undefined)) return path;
  await makeFolder(folder);
  await requireSpace(folder, estimatedBytes(model, type), `the synthetic model ${model}`);
  await (engine === 'native' ? writeGgufModel(wanted, path) : writeOnnxModel(wanted, path));
  return path;
}

async function writeGgufModel({ model, type, quantize, signal, onProgress }: SyntheticModel, output: string) {
  const { exportGguf } = await import('../../../export/export-gguf.ts');
  await exportGguf({
    checkpoint: syntheticCheckpoint(model),
    output,
    type,
    quantize: quantize && quantizeOnce(quantize),
    signal,
    onProgress: ({ done, total }) => onProgress(done, total),
  });
}

async function writeOnnxModel({ model, type, signal, onProgress }: SyntheticModel, path: string): Promise<void> {
  const { exportOnnx } = await import('../../../export/onnx/export-onnx.ts');
  await replaceWhole(path, (output) =>
    exportOnnx({
      checkpoint: syntheticCheckpoint(model),
      output,
      types: modelPrecisions[onnxPrecision(type)],
      signal,
      onProgress: ({ step, done, total }) => {
        if (step === 'quantize') onProgress(done, total);
      },
    }),
  );
}

/** Size of the file without metadata. */
function estimatedBytes(model: PublishedModel, type: WeightType): number {
  const config = parseModelConfig(publishedConfig(model, 1), 'config.json');
  const vaeType = type === 'f32' ? 'f32' : 'f16';
  return expectedTensors(config).reduce(
    (sum, tensor) => sum + storedBytes(storedType(tensor, type, vaeType), elementCount(tensor.shape)),
    0,
  );
}
