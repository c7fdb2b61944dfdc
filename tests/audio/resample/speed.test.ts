import { describe, expect, it } from '@jest/globals';
import { createSpeed } from '../../../src/audio/resample/speed.ts';
import { ranges } from '../../../src/engine/request-fields.ts';
import { frequencyOf, peakOf, tone } from '../tone.ts';

async function stretch(
  samples: Float32Array,
  sampleRate: number,
  factor: number,
  piece: number,
): Promise<Float32Array> {
  const speed = await createSpeed(sampleRate, factor);
  const parts: Float32Array[] = [];
  for (let start = 0; start < samples.length; start += piece)
    parts.push(speed.push(samples.slice(start, start + piece)));
  parts.push(speed.flush());
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

describe.each([16_000, 44_100, 48_000])('speed at %d Hz', (sampleRate) => {
  const samples = tone(220, 2, sampleRate);

  it.each([0.25, 0.5, 0.9, 1.1, 1.5, 2, 3, 4])('%d divides the duration and preserves the pitch', async (factor) => {
    const changed = await stretch(samples, sampleRate, factor, Math.round(sampleRate * 0.16));
    expect(changed).toHaveLength(Math.round(samples.length / factor));
    // Within 1 %.
    expect(Math.abs(frequencyOf(changed, sampleRate) / 220 - 1)).toBeLessThan(0.002);
    expect(peakOf(changed)).toBeGreaterThan(0.45);
    expect(peakOf(changed)).toBeLessThan(0.55);
    // Nothing is lost at the end.
    expect(peakOf(changed.subarray(-Math.round(sampleRate * 0.05)))).toBeGreaterThan(0.4);
  });
});

describe('createSpeed', () => {
  it('does not change samples at 1', async () => {
    const speed = await createSpeed(16_000, 1);
    const samples = tone(220, 0.1, 16_000);
    expect(speed.push(samples)).toBe(samples);
    expect(speed.flush()).toHaveLength(0);
  });

  it('returns the same samples for any pieces', async () => {
    const samples = tone(220, 0.7, 16_000);
    const whole = await stretch(samples, 16_000, 1.3, samples.length);
    expect(Buffer.from((await stretch(samples, 16_000, 1.3, 777)).buffer).equals(Buffer.from(whole.buffer))).toBe(true);
  });

  it.each([1, 2])('accepts no samples, and %d sample', async (count) => {
    expect(await stretch(new Float32Array(0), 16_000, 2, 1)).toHaveLength(0);
    expect(await stretch(tone(220, count / 16_000, 16_000), 16_000, 0.5, 1)).toHaveLength(count * 2);
  });

  it.each([1, 5, 99])('refuses a sample rate of %d, for which FFmpeg has no window', async (sampleRate) => {
    const message = `sampleRate must be an integer from 100 to 768000, got ${sampleRate}`;
    await expect(createSpeed(sampleRate, 1.5)).rejects.toMatchObject({ code: 'INVALID_REQUEST', message });
  });

  it.each([0, -1, 0.2, 99, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', async (factor) => {
    const message = `factor must be a number from ${ranges.speed.minimum} to ${ranges.speed.maximum}, got ${factor}`;
    await expect(createSpeed(16_000, factor)).rejects.toMatchObject({ code: 'INVALID_REQUEST', message });
  });
});
