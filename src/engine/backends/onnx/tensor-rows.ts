/** A row of a batch, as a copy: what leaves the worker takes its whole buffer along. */
export const rowOf = (values: Float32Array, row: number, rows: number): Float32Array => {
  const length = values.length / rows;
  return values.slice(row * length, (row + 1) * length);
};
