import { describe, expect, it } from '@jest/globals';
import { randomSeed, recordedNoise, seededNoise } from '../../src/engine/noise.ts';

describe('seededNoise', () => {
  // Computed by an independent implementation of splitmix64, xoshiro128** and the polar method.
  it.each([
    [0, [0.9910207986831665, 0.27219316363334656, 0.7334588766098022, 1.1453810930252075, -1.5011488199234009]],
    [1, [-1.0173007249832153, -1.628948450088501, -0.6190885901451111, -0.4416380524635315, 0.8849949836730957]],
    [42, [-0.07727615535259247, 0.4206727147102356, -0.13860179483890533, 0.011047925800085068, 1.720743179321289]],
    [2 ** 32 - 1, [-0.806540548801422, 0.0693008825182915, 1.755370020866394, -1.175611138343811, -0.3707976937294006]],
  ])('returns the same values for seed %d on every platform', (seed, expected) => {
    expect(seededNoise(seed).next(5)).toEqual(Float32Array.from(expected));
  });

  it('returns the same values in pieces of any size', () => {
    const whole = seededNoise(7).next(1_000);
    const source = seededNoise(7);
    const pieces = [0, 1, 2, 333, 64, 600].flatMap((length) => [...source.next(length)]);
    expect(pieces).toEqual([...whole]);
  });

  it('returns different values for adjacent seeds', () => {
    const [first, second] = [100, 101].map((seed) => seededNoise(seed).next(10_000)) as [Float32Array, Float32Array];
    const product = first.reduce((sum, value, index) => sum + value * (second[index] as number), 0);
    expect(Math.abs(product / first.length)).toBeLessThan(0.05);
  });

  it('is standard normal', () => {
    const values = seededNoise(2_026).next(1_000_000);
    const moment = (power: number): number => values.reduce((sum, value) => sum + value ** power, 0) / values.length;
    const within = (bound: number): number => values.filter((value) => Math.abs(value) < bound).length / values.length;
    expect(moment(1)).toBeCloseTo(0, 2);
    expect(moment(2)).toBeCloseTo(1, 2);
    expect(moment(3)).toBeCloseTo(0, 1);
    expect(moment(4)).toBeCloseTo(3, 1);
    expect(within(1)).toBeCloseTo(0.6827, 2);
    expect(within(3)).toBeCloseTo(0.9973, 3);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('refuses seed %d', (seed) => {
    expect(() => seededNoise(seed)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });
});

describe('randomSeed', () => {
  it('is a different 32-bit integer each time', () => {
    const seeds = Array.from({ length: 100 }, randomSeed);
    expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)).toBe(true);
    expect(new Set(seeds).size).toBeGreaterThan(95);
  });
});

describe('recordedNoise', () => {
  it('replays its frames in order', () => {
    const frames = [Float32Array.of(1, 2), Float32Array.of(3, 4)];
    const source = recordedNoise(frames);
    expect([source.next(2), source.next(2)]).toEqual(frames);
  });

  it('refuses a different length, and values after the end', () => {
    const source = recordedNoise([Float32Array.of(1, 2)]);
    expect(() => source.next(3)).toThrow('frame 0 of recorded noise must have 3 values, got 2');
    source.next(2);
    expect(() => source.next(2)).toThrow('recorded noise ends after 1 frames');
  });
});
