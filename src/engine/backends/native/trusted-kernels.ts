/** Kernels of tile registers are used where they prove themselves: they have run on few kinds of processors so far. */
import { seededNoise } from '../../noise.ts';
import type { Addon } from './addon.ts';

const depth = 256;
/** Enough rows and columns for several tiles, and a rest of each. */
const rows = 70;
const columnCount = 37;

/** Relative to the largest value: tiles add products of bfloat16 in another order. */
const roundingError = 1e-4;

let trusted: string | undefined;

/**
 * The name of the kernels to use: empty for the best of this processor, which are those of AMX where they compute what the
 * vector kernels compute.
 */
export function trustedKernels({ multiply }: Pick<Addon, 'multiply'>): string {
  trusted ??= computesTheSame(multiply) ? '' : 'avx512';
  return trusted;
}

/** True where there are no tile registers. */
export function computesTheSame(multiply: Addon['multiply']): boolean {
  if (multiply('amx', 'f32', new Float32Array(16), 16, new Float32Array(16), 1) === undefined) return true;
  const weights = seededNoise(1).next(rows * depth);
  const columns = seededNoise(2).next(columnCount * depth);
  // Values of bfloat16, which are exact for both.
  const bits = new Uint32Array(columns.buffer, columns.byteOffset, columns.length);
  for (const [index, value] of bits.entries()) bits[index] = value & 0xffff_0000;
  const product = (kernels: string, type: string) => multiply(kernels, type, weights, depth, columns, 1);
  const tiles = product('amx', 'q8_0');
  const whole = product('avx512', 'q8_0');
  const pairs = product('amx', 'bf16_pairs');
  const rounded = product('avx512', 'bf16');
  return differenceOf(tiles, whole) === 0 && differenceOf(pairs, rounded) < roundingError;
}

function differenceOf(values: Float32Array | undefined, expected: Float32Array | undefined): number {
  if (values === undefined || values.length !== expected?.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  let difference = 0;
  for (const [index, value] of expected.entries()) {
    largest = Math.max(largest, Math.abs(value));
    difference = Math.max(difference, Math.abs(value - (values[index] ?? Number.NaN)));
  }
  return difference / largest;
}
