import { beforeAll, describe, expect, it } from '@jest/globals';
import { createEncoder } from '../../src/audio/encode/format.ts';
import { prepareResampling, resampleByLibrary } from '../../src/audio/resample/library-resample.ts';
import { resampleAsTorchaudio } from '../../src/audio/resample/torchaudio-resample.ts';
import { frequencyOf, tone } from './tone.ts';

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

describe('a sample rate above 192 kHz', () => {
  it('is reduced in two steps, preserving a tone', async () => {
    const converted = await resampleByLibrary(tone(440, 0.5, 655_350), 655_350, 16_000);
    expect(converted).toHaveLength(8_000);
    expect(Math.abs(frequencyOf(converted, 16_000) / 440 - 1)).toBeLessThan(0.005);
  });
});
