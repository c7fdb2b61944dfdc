import { beforeAll, describe, expect, it } from '@jest/globals';
import { createEncoder } from '../../src/audio/encode/format.ts';
import { areFinite, noteFinite } from '../../src/audio/finite-samples.ts';
import { prepareResampling, resampleByLibrary } from '../../src/audio/resample/library-resample.ts';
import { resampleAsTorchaudio } from '../../src/audio/resample/torchaudio-resample.ts';
import { pushInSlices } from '../../src/audio/slices.ts';
import { frequencyOf, tone } from './tone.ts';

const identity = { push: (slice: Float32Array) => slice, flush: () => new Float32Array(0), close: () => undefined };

/** Counts turns of the event loop during `work`. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let going = true;
  const count = (): void => {
    turns += 1;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  await work();
  going = false;
  return turns;
}

describe('long audio does not block the event loop', () => {
  const long = new Float32Array(20 * 48_000).map((_, index) => Math.sin(index / 9) / 2);
  // Turns depend on elapsed time, so a fast machine has fewer. Without slices there is at most one.
  const least = 2;

  beforeAll(() => prepareResampling());

  it('when resampled like torchaudio', async () => {
    expect(await turnsDuring(() => resampleAsTorchaudio(long, 48_000, 44_100))).toBeGreaterThan(least);
  });

  it('when resampled by the library', async () => {
    expect(await turnsDuring(() => resampleByLibrary(long, 48_000, 16_000))).toBeGreaterThan(least);
  });

  it.each(['flac', 'mp3', 'opus'] as const)('when encoded as %s in one piece', async (format) => {
    const encoder = await createEncoder({ format, sampleRate: 48_000 }, async () => undefined);
    expect(await turnsDuring(() => encoder.write(long))).toBeGreaterThan(least);
    await encoder.close();
  });
});

it('samples that a transform leaves alone are not copied', async () => {
  const samples = new Float32Array(100_000).fill(0.5);
  const doubled = { push: (slice: Float32Array) => slice.map((value) => 2 * value) };
  expect(await pushInSlices(identity, samples)).toBe(samples);
  expect(await pushInSlices({ ...identity, ...doubled }, samples)).toEqual(samples.map((value) => 2 * value));
});

it('samples of a decoder are not checked again', () => {
  const samples = Float32Array.of(0.5, Number.NaN);
  expect([areFinite(samples), areFinite(samples.subarray(0, 1))]).toEqual([false, true]);
  noteFinite(samples);
  expect(areFinite(samples)).toBe(true);
});

describe('a sample rate above 192 kHz', () => {
  it('is reduced in two steps, preserving a tone', async () => {
    const converted = await resampleByLibrary(tone(440, 0.5, 655_350), 655_350, 16_000);
    expect(converted).toHaveLength(8_000);
    expect(Math.abs(frequencyOf(converted, 16_000) / 440 - 1)).toBeLessThan(0.005);
  });
});
