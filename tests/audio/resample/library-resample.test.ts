import { describe, expect, it } from '@jest/globals';
import { createResampler, resampleByLibrary } from '../../../src/audio/resample/library-resample.ts';
import { differences } from '../differences.ts';
import { frequencyOf, tone } from '../tone.ts';
import { conversions, toneError } from './kept-tone.ts';

async function convert(pieces: readonly Float32Array[], from: number, to: number): Promise<Float32Array> {
  const resampler = await createResampler(from, to);
  const parts = [...pieces.map((piece) => resampler.push(piece)), resampler.flush()];
  resampler.close();
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
  ])('returns the same samples from %d to %d Hz for any piece boundaries', async (from, to) => {
    const samples = tone(330, 0.21, from);
    const whole = await convert([samples], from, to);
    expect(whole).toHaveLength(Math.ceil((samples.length * to) / from));
    for (const length of [7, 1_280]) {
      const converted = await convert(cut(samples, length), from, to);
      expect(Buffer.from(converted.buffer).equals(Buffer.from(whole.buffer))).toBe(true);
    }
  });

  it('returns the same samples for pieces over a second', async () => {
    const samples = tone(330, 2.3, 16_000);
    const [whole, pieces] = [
      await convert([samples], 16_000, 24_000),
      await convert(cut(samples, 999), 16_000, 24_000),
    ];
    expect(whole).toHaveLength(55_200);
    expect(differences(pieces, whole).largest).toBe(0);
  });

  it.each([
    [16_000, 48_000],
    [48_000, 24_000],
    [44_100, 24_000],
  ])('holds back less than 7 ms, from %d to %d Hz', async (from, to) => {
    const resampler = await createResampler(from, to);
    const given = resampler.push(tone(330, 0.08, from)).length;
    expect(0.08 - given / to).toBeLessThan(0.007);
    resampler.close();
  });

  it('supports concurrent resamplers', async () => {
    const [low, high] = [tone(220, 0.2, 16_000), tone(880, 0.2, 16_000)];
    const [first, second] = [await createResampler(16_000, 24_000), await createResampler(16_000, 48_000)];
    const given = { first: [first.push(low)], second: [second.push(high)] };
    given.first.push(first.push(low), first.flush());
    first.close();
    first.close();
    given.second.push(second.push(high), second.flush());
    second.close();
    const all = (parts: readonly Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]));
    expect(differences(all(given.first), await convert([low, low], 16_000, 24_000)).largest).toBe(0);
    expect(differences(all(given.second), await convert([high, high], 16_000, 48_000)).largest).toBe(0);
  });

  it('does not change samples at the same rate', async () => {
    const samples = tone(220, 0.01, 16_000);
    expect(await convert([samples], 16_000, 16_000)).toEqual(samples);
  });

  it('returns nothing for no samples', async () => {
    expect(await convert([], 16_000, 48_000)).toHaveLength(0);
    expect(await convert([new Float32Array(0)], 16_000, 48_000)).toHaveLength(0);
  });

  it('converts between rates without a common divisor', async () => {
    const converted = await convert(cut(tone(330, 0.5, 44_100), 7_056), 44_100, 47_999);
    expect(Math.abs(converted.length - 0.5 * 47_999)).toBeLessThan(3);
    expect(frequencyOf(converted, 47_999)).toBeCloseTo(330, 0);
  });
});

describe('resampleByLibrary', () => {
  it.each(conversions)('preserves a tone from %d to %d Hz', async (from, to) => {
    const { largest, length, expected } = await toneError(resampleByLibrary, from, to);
    expect(length).toBe(expected);
    expect(largest).toBeLessThan(1e-5);
  });

  it('removes frequencies above the new Nyquist frequency', async () => {
    const converted = await resampleByLibrary(tone(11_000, 1, 48_000), 48_000, 16_000);
    expect(Math.max(...converted.subarray(200, -200).map(Math.abs))).toBeLessThan(1e-5);
  });

  it.each([0, 1, 2, 3, 100])('returns ceil(n × to / from) samples for %d', async (length) => {
    expect(await resampleByLibrary(new Float32Array(length), 48_000, 16_000)).toHaveLength(Math.ceil(length / 3));
    expect(await resampleByLibrary(new Float32Array(length), 16_000, 44_100)).toHaveLength(
      Math.ceil((length * 441) / 160),
    );
  });
});
