import { describe, expect, it } from '@jest/globals';
import { loadAddon } from '../../../../src/engine/backends/native/load-addon.ts';
import { computesTheSame, trustedKernels } from '../../../../src/engine/backends/native/trusted-kernels.ts';
import { runnableKernels, testableKernels } from '../../../support/kernels.ts';

const addon = await loadAddon();
type Multiply = typeof addon.multiply;

/** Stand-ins for the kernels of tile registers and of vectors: the first on their model, where that runs. */
const standIns: Readonly<Record<string, string>> = {
  amx: testableKernels.includes('amx_model') ? 'amx_model' : 'portable',
  avx512: runnableKernels.includes('avx512') ? 'avx512' : 'portable',
};

/** Multiplies with tiles, and changes their products by `change`. */
const withTiles =
  (change: (type: string, product: Float32Array) => void): Multiply =>
  (kernels, type, ...rest) => {
    const name = standIns[kernels] ?? kernels;
    const product = addon.multiply(name, name === 'portable' && type === 'bf16_pairs' ? 'bf16' : type, ...rest);
    if (product !== undefined && kernels === 'amx') change(type, product);
    return product;
  };

const wrong = (changed: string, factor: number): Multiply =>
  withTiles((type, product) => {
    if (type === changed) product[5] = (product[5] ?? 0) * factor;
  });

describe('kernels of tile registers', () => {
  it('are used where they compute what vectors compute', () => {
    expect(computesTheSame(withTiles(() => undefined))).toBe(true);
  });

  it('are not used where a bit of an integer product differs', () => {
    expect(computesTheSame(wrong('q8_0', 1 + 2 ** -22))).toBe(false);
  });

  it('are not used where a product of the audio VAE is wrong', () => {
    expect(computesTheSame(wrong('bf16_pairs', -1))).toBe(false);
    expect(computesTheSame(wrong('bf16_pairs', Number.NaN))).toBe(false);
  });

  it('are not asked for on other processors', () => {
    expect(computesTheSame(() => undefined)).toBe(true);
  });

  it('compute correctly on this processor, if it has them', () => {
    expect(trustedKernels(addon)).toBe('');
  });
});
