/** Batches of equal rows, as tensors have them. */
import type { Tensor } from 'onnxruntime-common';

export const floats = (tensor: Tensor | undefined): Float32Array => tensor?.data as Float32Array;

/** A copy: what leaves the worker takes its whole buffer along. */
export const rowOf = (values: Float32Array, row: number, rows: number): Float32Array => {
  const length = values.length / rows;
  return values.slice(row * length, (row + 1) * length);
};

export function concatenate(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
