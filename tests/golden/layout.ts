import type { NativeTensor } from '../../src/engine/backends/native/addon.ts';
import type { GoldenTensor } from '../support/golden.ts';

/** A tensor of the given shape; throws if the number of values doesn't match. */
export function shaped(data: Float32Array | Int32Array, ...shape: number[]): NativeTensor {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count !== data.length) throw new Error(`[${shape}] needs ${count} values, got ${data.length}`);
  return { data, shape };
}

/** Swaps the last two dimensions; leading dimensions of size 1 are kept. */
export function transposed({ shape, data }: GoldenTensor): NativeTensor {
  const rows = shape.at(-2) ?? 1;
  const columns = shape.at(-1) ?? 1;
  const result = new Float32Array(data.length);
  for (let base = 0; base < data.length; base += rows * columns) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        result[base + column * rows + row] = data[base + row * columns + column] as number;
      }
    }
  }
  return { data: result, shape: [...shape.slice(0, -2), columns, rows] };
}

/** Drops leading dimensions of size 1 down to `rank`. */
export function ofRank(
  { shape, data }: { readonly shape: readonly number[]; readonly data: NativeTensor['data'] },
  rank: number,
): NativeTensor {
  const leading = shape.slice(0, shape.length - rank);
  if (leading.some((size) => size !== 1)) throw new Error(`the tensor must have rank ${rank}, got [${shape}]`);
  return { data, shape: shape.slice(-rank) };
}
