import { join } from 'node:path';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { matchTensors } from '../../export/expected-tensors.ts';
import { exportGguf } from '../../export/export-gguf.ts';
import { storedType, type WeightType, weightTypes } from '../../export/gguf/tensor-types.ts';
import type { Addon } from '../../src/engine/backends/native/addon.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readFloats, type TensorSource } from '../../src/formats/tensor-source.ts';
import { roundedTo } from '../support/dequantize.ts';

async function exportRounded(
  directory: string,
  type: WeightType,
  output: string,
  quantize: Addon['quantize'],
): Promise<void> {
  await using checkpoint = await openCheckpoint(directory);
  const tensors = matchTensors(checkpoint.config, checkpoint.tensors).map(({ expected, source }) => {
    const stored = storedType(expected, type, 'f32');
    if (stored === 'i32') return source;
    const rowLength = expected.shape.at(-1) ?? 1;
    const rounded: TensorSource = {
      ...source,
      dtype: 'F32',
      async read(start, count) {
        const values = await readFloats(source, 0, elementCount(expected.shape));
        const all = roundedTo(stored, values, (block, floats) => quantize(block, floats, rowLength));
        return new Uint8Array(all.slice(start, start + count).buffer);
      },
    };
    return rounded;
  });
  await exportGguf({
    checkpoint: { ...checkpoint, tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])) },
    output,
    type: 'f32',
  });
}

/** Writes the checkpoint in each weight type, such as `q8_0.gguf`, and dequantized to float32, `q8_0-exact.gguf`. */
export async function writeWeightTypes(checkpoint: string, folder: string): Promise<void> {
  const { quantize } = await loadAddon();
  for (const type of weightTypes) {
    await exportRounded(checkpoint, type, join(folder, `${type}-exact.gguf`), quantize);
    await exportGguf({ checkpoint, output: join(folder, `${type}.gguf`), type, vaeType: 'f32', quantize });
  }
}
