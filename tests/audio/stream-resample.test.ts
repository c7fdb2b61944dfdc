import { describe, expect, it } from '@jest/globals';
import { resample } from '../../src/audio/resample.ts';
import { createResampler } from '../../src/audio/stream-resample.ts';
import { frequencyOf, tone } from './tone.ts';

async function convert(pieces: readonly Float32Array[], from: number, to: number): Promise<Float32Array> {
  const resampler = await createResampler(from, to);
  const parts = [...pieces.map((piece) => resampler.push(piece)), resampler.flush()];
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

const cut = (samples: Float32Array, length: number): readonly Float32Array[] =>
  Array.from({ length: Math.ceil(samples.length / length) }, (_, index) =>
    samples.slice(index * length, (index + 1) * length),
  );

describe('createResampler', () => {
  it.each([
    [16_000, 48_000],
    [16_000, 24_000],
    [44_100, 24_000],
    [48_000, 24_000],
    [44_100, 48_000],
    [48_000, 8_000],
  ])('gives what the whole gives, from %d to %d Hz, however it is cut', async (from, to) => {
    const samples = tone(330, 0.21, from);
    const whole = [...resample(samples, from, to, 'soxr-like')];
    for (const length of [1, 7, 1_280, samples.length]) {
      const converted = await convert(cut(samples, length), from, to);
      expect(converted.length).toBe(whole.length);
      expect(Buffer.from(converted.buffer).equals(Buffer.from(Float32Array.from(whole).buffer))).toBe(true);
    }
  });

  it.each([
    [16_000, 48_000],
    [48_000, 24_000],
    [44_100, 24_000],
  ])('holds back less than 5 ms, from %d to %d Hz', async (from, to) => {
    const resampler = await createResampler(from, to);
    const given = resampler.push(tone(330, 0.08, from)).length;
    expect(0.08 - given / to).toBeLessThan(0.005);
  });

  it('passes samples on at the same rate', async () => {
    const samples = tone(220, 0.01, 16_000);
    expect(await convert([samples], 16_000, 16_000)).toEqual(samples);
  });

  it('gives nothing from nothing', async () => {
    expect(await convert([], 16_000, 48_000)).toHaveLength(0);
    expect(await convert([new Float32Array(0)], 16_000, 48_000)).toHaveLength(0);
  });

  it('converts between rates without a common divisor too', async () => {
    const converted = await convert(cut(tone(330, 0.5, 44_100), 7_056), 44_100, 47_999);
    expect(Math.abs(converted.length - 0.5 * 47_999)).toBeLessThan(3);
    expect(frequencyOf(converted, 47_999)).toBeCloseTo(330, 0);
  });
});
