/** Reads a tensor of a GGUF file. */
import type { FileHandle } from 'node:fs/promises';
import { SvcError } from '../../src/errors.ts';
import { fromHalf } from '../../src/formats/float-conversion.ts';
import type { GgufHeader, GgufTensorInfo } from '../../src/formats/gguf.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { fileTensorSource, readExactly, type TensorSource } from '../../src/formats/tensor-source.ts';

const plainTypes = { f32: 'F32', f16: 'F16', bf16: 'BF16', i32: 'I32' } as const;

/**
 * @param size length of the file
 * @throws SvcError MODEL_INVALID if the file is truncated or the type is not supported
 */
export function tensorOf(
  handle: FileHandle,
  size: number,
  { dataOffset }: GgufHeader,
  { type, shape, offset }: GgufTensorInfo,
  name: string,
): TensorSource {
  const start = dataOffset + offset;
  const elements = elementCount(shape);
  const bytes = type === 'q8_0' ? (elements / blockElements) * blockBytes : elements;
  if (start + bytes > size) {
    throw new SvcError(
      'MODEL_INVALID',
      `the file is truncated: tensor "${name}" ends at byte ${start + bytes} of ${size}`,
    );
  }
  if (type === 'q8_0') return q8Source(handle, { name, shape, offset: start });
  const dtype = plainTypes[type as keyof typeof plainTypes];
  if (dtype !== undefined) return fileTensorSource(handle, { name, dtype, shape, offset: start }, name);
  throw new SvcError('MODEL_INVALID', `tensor "${name}" has type ${type}, expected F32, F16, BF16 or Q8_0`);
}

/** ggml's `block_q8_0`: a half-precision scale, then `blockElements` int8 values. */
const blockElements = 32;
const blockBytes = 2 + blockElements;

function q8Source(handle: FileHandle, tensor: Pick<GgufTensorInfo, 'name' | 'shape' | 'offset'>): TensorSource {
  const { name, shape, offset } = tensor;
  return {
    name,
    dtype: 'F32',
    shape,
    async read(start, count) {
      const first = Math.floor(start / blockElements);
      const blocks = Math.ceil((start + count) / blockElements) - first;
      const bytes = await readExactly(handle, offset + first * blockBytes, blocks * blockBytes, name);
      const values = new Float32Array(blocks * blockElements);
      const view = new DataView(bytes.buffer);
      const scales = fromHalf(
        Uint16Array.from({ length: blocks }, (_, block) => view.getUint16(block * blockBytes, true)),
      );
      for (let block = 0; block < blocks; block += 1) {
        const scale = scales[block] as number;
        for (let index = 0; index < blockElements; index += 1) {
          values[block * blockElements + index] = scale * view.getInt8(block * blockBytes + 2 + index);
        }
      }
      const skipped = start - first * blockElements;
      return new Uint8Array(values.slice(skipped, skipped + count).buffer);
    },
  };
}
