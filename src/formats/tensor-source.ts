/** Tensors of a checkpoint, read lazily. */
import type { FileHandle } from 'node:fs/promises';
import { SvcError } from '../errors.ts';
import { fromBfloat16, fromHalf } from './float-conversion.ts';
import { type ElementType, elementBytes, invalid, type SafetensorsEntry } from './safetensors.ts';

export interface TensorSource {
  readonly name: string;
  readonly dtype: ElementType;
  /** Outermost dimension first. */
  readonly shape: readonly number[];
  /** Reads the little-endian bytes of elements `[start, start + count)` in row-major order to a new buffer. */
  read(start: number, count: number): Promise<Uint8Array>;
}

/** Reads exactly `length` bytes at `position`. @throws SvcError MODEL_INVALID if the file ends before */
export async function readExactly(
  handle: FileHandle,
  position: number,
  length: number,
  source: string,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) {
      throw invalid(source, `the file is truncated: it has ${position + filled} bytes, expected ${position + length}`);
    }
    filled += bytesRead;
  }
  return bytes;
}

/** A tensor stored contiguously in a file. */
export function fileTensorSource(handle: FileHandle, tensor: SafetensorsEntry, source: string): TensorSource {
  const { name, dtype, shape, offset } = tensor;
  const width = elementBytes[dtype];
  return {
    name,
    dtype,
    shape,
    read: (start, count) => readExactly(handle, offset + start * width, count * width, source),
  };
}

/** Elements as float32: exact for F32, F16 and BF16, rounded for F64. @throws SvcError MODEL_INVALID for integers */
export async function readFloats(tensor: TensorSource, start: number, count: number): Promise<Float32Array> {
  const { buffer } = await tensor.read(start, count);
  switch (tensor.dtype) {
    case 'F32':
      return new Float32Array(buffer, 0, count);
    case 'F16':
      return fromHalf(new Uint16Array(buffer, 0, count));
    case 'BF16':
      return fromBfloat16(new Uint16Array(buffer, 0, count));
    case 'F64':
      return Float32Array.from(new Float64Array(buffer, 0, count));
    default:
      throw new SvcError('MODEL_INVALID', `tensor "${tensor.name}" has type ${tensor.dtype}, expected floating point`);
  }
}

/** Reads all elements of an integer tensor as int32. */
export async function readIntegers(tensor: TensorSource, count: number): Promise<Int32Array> {
  const { buffer } = await tensor.read(0, count);
  switch (tensor.dtype) {
    case 'I32':
      return new Int32Array(buffer, 0, count);
    case 'I64':
      return Int32Array.from(new BigInt64Array(buffer, 0, count), Number);
    default:
      throw new SvcError('MODEL_INVALID', `tensor "${tensor.name}" has type ${tensor.dtype}, expected I32 or I64`);
  }
}
