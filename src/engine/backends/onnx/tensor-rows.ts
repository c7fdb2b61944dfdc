/** Batches of equal rows, as tensors have them. */
import type { Tensor } from 'onnxruntime-common';

export const floats = (tensor: Tensor | undefined): Float32Array => tensor?.data as Float32Array;

/** A copy: what leaves the worker takes its whole buffer along. */
export const rowOf = (values: Float32Array, row: number, rows: number): Float32Array => {
  const length = values.length / rows;
  return values.slice(row * length, (row + 1) * length);
};
