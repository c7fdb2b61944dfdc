import { describe, expect, it } from '@jest/globals';
import { foldWeightNorm } from '../../export/weight-norm.ts';
import { readFloats, type TensorSource } from '../../src/formats/tensor-source.ts';

const tensor = (name: string, shape: readonly number[], values: readonly number[]): TensorSource => ({
  name,
  dtype: 'F32',
  shape,
  read: async (start, count) => new Uint8Array(Float32Array.from(values.slice(start, start + count)).buffer),
});

const direction = [3, 4, 0, 0, 5, 12];
const gains = [10, 1, 26];
const expected = [6, 8, 0, 0, 10, 24];

describe('foldWeightNorm', () => {
  it.each([
    ['weight_norm', 'weight_g', 'weight_v'],
    ['parametrizations', 'parametrizations.weight.original0', 'parametrizations.weight.original1'],
  ])('computes g·v/‖v‖ for the names of %s, and zero for zero', async (_name, gain, value) => {
    const bias = tensor('conv.bias', [3], [1, 2, 3]);
    const folded = foldWeightNorm(
      [tensor(`conv.${gain}`, [3, 1, 1], gains), tensor(`conv.${value}`, [3, 1, 2], direction), bias],
      'audiovae.pth',
    );
    expect(folded.map(({ name, shape }) => [name, shape])).toEqual([
      ['conv.weight', [3, 1, 2]],
      ['conv.bias', [3]],
    ]);
    const [weight] = folded;
    if (weight === undefined) throw new Error('no weight');
    expect([...(await readFloats(weight, 0, 6))]).toEqual(expected);
    expect([...(await readFloats(weight, 1, 4))]).toEqual(expected.slice(1, 5));
  });

  it.each([
    [
      'a gain without direction',
      [tensor('conv.weight_g', [3, 1, 1], gains)],
      'tensor "conv.weight_v" is missing for "conv.weight_g"',
    ],
    [
      'a direction without gain',
      [tensor('conv.weight_v', [3, 1, 2], direction)],
      'tensor "conv.weight_g" is missing for "conv.weight_v"',
    ],
    [
      'a gain over another dimension',
      [tensor('conv.weight_g', [1, 1, 2], [1, 2]), tensor('conv.weight_v', [3, 1, 2], direction)],
      'audiovae.pth: tensor "conv.weight_g" has shape 1×1×2, expected 3×1×1',
    ],
  ])('refuses %s', (_name, tensors, message) => {
    expect(() => foldWeightNorm(tensors, 'audiovae.pth')).toThrow(
      expect.objectContaining({ code: 'MODEL_INVALID', message: expect.stringContaining(message) }),
    );
  });
});
