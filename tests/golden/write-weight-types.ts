/**
 * `write-weight-types.ts CHECKPOINT FOLDER`: writes the checkpoint in each weight type, such as `q8_0.gguf`, and
 * dequantized to float32, `q8_0-exact.gguf`.
 */
import { join } from 'node:path';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { matchTensors } from '../../export/expected-tensors.ts';
import { exportGguf } from '../../export/export-gguf.ts';
import { storedType, type WeightType, weightTypes } from '../../export/gguf/tensor-types.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readFloats, type TensorSource } from '../../src/formats/tensor-source.ts';
import { roundedTo } from '../support/dequantize.ts';

const [directory = '', folder = ''] = process.argv.slice(2);
const { quantize } = await loadAddon();

async function exportRounded(type: WeightType, output: string): Promise<void> {
  const checkpoint = await openCheckpoint(directory);
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

for (const type of weightTypes) {
  await exportRounded(type, join(folder, `${type}-exact.gguf`));
  await exportGguf({ checkpoint: directory, output: join(folder, `${type}.gguf`), type, vaeType: 'f32', quantize });
}
