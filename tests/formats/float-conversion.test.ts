import { describe, expect, it } from '@jest/globals';
import { fromBfloat16, fromHalf, toBfloat16, toHalf } from '../../src/formats/float-conversion.ts';

const allHalves = Uint16Array.from({ length: 65536 }, (_, index) => index);
const isNanHalf = (half: number) => (half & 0x7c00) === 0x7c00 && (half & 0x3ff) !== 0;

describe('half precision', () => {
  it('round-trips every value', () => {
    const back = toHalf(fromHalf(allHalves));
    expect(allHalves.every((half) => back[half] === half || isNanHalf(half))).toBe(true);
    expect(Number.isNaN(fromHalf(Uint16Array.of(0x7e01))[0])).toBe(true);
    expect(fromHalf(toHalf(Float32Array.of(Number.NaN)))).toEqual(Float32Array.of(Number.NaN));
  });

  it('rounds to nearest, ties to even, between all adjacent values', () => {
    const positive = fromHalf(allHalves.subarray(0, 0x7c00));
    for (let half = 0; half + 1 < positive.length; half += 1) {
      const [low, high] = [positive[half] ?? 0, positive[half + 1] ?? 0];
      const middle = (low + high) / 2;
      const nearest = toHalf(Float32Array.of(middle, (low + middle) / 2, (middle + high) / 2, -middle));
      const even = half % 2 === 0 ? half : half + 1;
      if (nearest[0] !== even || nearest[1] !== half || nearest[2] !== half + 1 || nearest[3] !== (even | 0x8000)) {
        throw new Error(`${half}: ${nearest.join(' ')}`);
      }
    }
  });

  it('ends at 65504', () => {
    expect([...fromHalf(toHalf(Float32Array.of(65504, 65519.99, 65520, -1e30)))]).toEqual([
      65504,
      65504,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
  });
});

describe('bfloat16', () => {
  it('round-trips every value', () => {
    const back = toBfloat16(fromBfloat16(allHalves));
    const isNan = (word: number) => (word & 0x7f80) === 0x7f80 && (word & 0x7f) !== 0;
    expect(allHalves.every((word) => back[word] === word || (isNan(word) && isNan(back[word] ?? 0)))).toBe(true);
  });

  it('rounds to nearest, ties to even', () => {
    // 1 + 2^-8 is halfway between 1 and 1 + 2^-7.
    const values = Float32Array.of(1 + 2 ** -8, 1 + 2 ** -8 + 2 ** -20, 1 + 3 * 2 ** -8, 1 + 2 ** -9, -1 - 2 ** -8);
    expect([...fromBfloat16(toBfloat16(values))]).toEqual([1, 1 + 2 ** -7, 1 + 2 ** -6, 1, -1]);
  });
});
