/** Compares the CPU kernels of every supported instruction set with products in float64. */
import { describe, expect, it } from '@jest/globals';
import { kernelNames as kernels } from '../../src/engine/backends/native/kernel-names.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { seededNoise } from '../../src/engine/noise.ts';

const addon = await loadAddon();

/** Largest relative RMS error of a product with normally distributed values. */
const bounds: Readonly<Record<string, number>> = {
  f32: 1e-6,
  f16: 5e-4,
  bf16: 5e-3,
  q8_0: 0.012,
  q4_0: 0.11,
  q4_k: 0.09,
  i8_per_row: 0.09,
  q6_k: 0.03,
};

function exact(weights: Float32Array, depth: number, columns: Float32Array): Float64Array {
  const rows = weights.length / depth;
  const product = new Float64Array((columns.length / depth) * rows);
  for (let column = 0; column * depth < columns.length; column++) {
    for (let row = 0; row < rows; row++) {
      let sum = 0;
      for (let k = 0; k < depth; k++) sum += (weights[row * depth + k] ?? 0) * (columns[column * depth + k] ?? 0);
      product[column * rows + row] = sum;
    }
  }
  return product;
}

function relativeError(expected: ArrayLike<number>, received: ArrayLike<number>): number {
  let difference = 0;
  let total = 0;
  for (let i = 0; i < expected.length; i++) {
    difference += ((received[i] ?? Number.NaN) - (expected[i] ?? 0)) ** 2;
    total += (expected[i] ?? 0) ** 2;
  }
  return Math.sqrt(difference / total);
}

describe.each(Object.keys(bounds))('%s', (type) => {
  // Rows that don't fill a tile, more columns than a group, and a depth of two of the largest blocks.
  it.each([
    [37, 512, 1],
    [64, 512, 23],
  ])('multiplies %i rows of %i values with %i columns', (rows, depth, count) => {
    const noise = seededNoise(7);
    const weights = noise.next(rows * depth);
    const columns = noise.next(depth * count);
    const expected = exact(weights, depth, columns);
    const products = kernels.flatMap((name) => {
      const product = addon.multiply(name, type, weights, depth, columns, 2);
      return product === undefined ? [] : [{ name, product }];
    });
    expect(products.map(({ name }) => name)).toContain('portable');
    const portable = products.at(-1)?.product ?? [];
    for (const { product } of products) {
      expect(relativeError(expected, product)).toBeLessThan(bounds[type] ?? 0);
      expect(relativeError(portable, product)).toBeLessThan(2e-6);
    }
  });
});

it.each(kernels)('multiplies the same with any number of threads (%s)', (name) => {
  const noise = seededNoise(8);
  for (const [rows, depth, count] of [
    [1200, 256, 1],
    [37, 256, 90],
  ] as const) {
    const weights = noise.next(rows * depth);
    const columns = noise.next(depth * count);
    const alone = addon.multiply(name, 'q8_0', weights, depth, columns, 1);
    for (const threads of [2, 3, 16])
      expect(addon.multiply(name, 'q8_0', weights, depth, columns, threads)).toEqual(alone);
  }
});

it('multiplies weights and activations rounded to bfloat16', () => {
  const noise = seededNoise(9);
  for (const [rows, depth, count] of [
    [37, 70, 1],
    [64, 512, 23],
  ] as const) {
    const weights = noise.next(rows * depth);
    const columns = noise.next(depth * count);
    const expected = exact(weights, depth, columns);
    for (const name of kernels) {
      const product = addon.multiply(name, 'bf16_pairs', weights, depth, columns, 2);
      if (product) expect(relativeError(expected, product)).toBeLessThan(5e-3);
    }
  }
});

it('multiplies float32 rows that are not a multiple of a vector', () => {
  const noise = seededNoise(8);
  const weights = noise.next(19 * 21);
  const columns = noise.next(21 * 3);
  const expected = exact(weights, 21, columns);
  for (const name of kernels) {
    const product = addon.multiply(name, 'f32', weights, 21, columns, 1);
    if (product) expect(relativeError(expected, product)).toBeLessThan(1e-6);
  }
});
