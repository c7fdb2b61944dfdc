/** The instance of FFmpeg's libraries that encoders and filters share. */
import { describe, expect, it } from '@jest/globals';
import { type AudioFormatName, encodeAudio, openEncoder } from '../../../src/audio/encode/format.ts';
import { inShared, type Libav, sharedLibav } from '../../../src/audio/libraries/libav.ts';
import { createSpeed } from '../../../src/audio/resample/speed.ts';
import type { Encoded } from '../../../src/audio/transform.ts';
import { tone } from '../tone.ts';

const sampleRate = 16_000;
const samples = tone(220, 0.3, sampleRate);
const formats = ['flac', 'opus', 'mp3'] as const satisfies readonly AudioFormatName[];

/** The first address at which a piece of memory of some size is free, which grows with what is not freed before it. */
function freeAddress(libav: Libav): number {
  const address = libav.malloc_sync(100_000);
  libav.free_sync(address);
  return address;
}

describe('the shared instance', () => {
  it.each(formats)('has the memory of %s back when an encoder ends, is closed early, or unused', async (format) => {
    const libav = await sharedLibav('tests');
    const open = () => openEncoder({ format, sampleRate });
    await encodeAudio(samples, { format, sampleRate });
    const before = freeAddress(libav);
    for (let round = 0; round < 3; round += 1) {
      await encodeAudio(samples, { format, sampleRate });
      const cut = await open();
      await cut.push(samples);
      cut.close();
      cut.close();
      (await open()).close();
    }
    expect(freeAddress(libav)).toBe(before);
    expect((await sharedLibav('tests')) === libav).toBe(true);
  });

  it('has the memory of a filter back', async () => {
    const libav = await sharedLibav('tests');
    const before = freeAddress(libav);
    for (let round = 0; round < 3; round += 1) {
      const speed = await createSpeed(sampleRate, 1.5);
      speed.push(samples);
      speed.close();
      expect([speed.push(samples).length, speed.flush().length]).toEqual([0, 0]);
    }
    expect(freeAddress(libav)).toBe(before);
  });

  it.each(formats)('keeps apart what encoders of %s write in turns; closed ones write nothing', async (format) => {
    const alone = Buffer.from(await encodeAudio(samples, { format, sampleRate }));
    const [one, other, closed] = await Promise.all([1, 2, 3].map(() => openEncoder({ format, sampleRate })));
    const files: [Encoded[], Encoded[]] = [[], []];
    for (let start = 0; start < samples.length; start += 1_000) {
      const piece = samples.subarray(start, start + 1_000);
      files[0].push((await one?.push(piece)) ?? []);
      files[1].push((await other?.push(piece)) ?? []);
      await closed?.push(piece);
    }
    closed?.close();
    expect([await closed?.push(samples), await closed?.flush()]).toEqual([[], []]);
    files[0].push((await one?.flush()) ?? []);
    files[1].push((await other?.flush()) ?? []);
    for (const file of files) {
      const bytes = Buffer.concat(
        file.flat().flatMap(({ bytes, position }) => (position === undefined ? [bytes] : [])),
      );
      for (const { bytes: later, position } of file.flat()) if (position !== undefined) bytes.set(later, position);
      expect(bytes).toEqual(alone);
    }
  });

  it('is given to nobody else after a failure, and those that began in it go on', async () => {
    const libav = await sharedLibav('tests');
    const [first, second] = await Promise.all([1, 2].map(() => openEncoder({ format: 'flac', sampleRate })));
    const expected = await encodeAudio(samples, { format: 'flac', sampleRate });
    const fail = (): never =>
      inShared(libav, () => {
        throw new Error('trapped');
      });
    expect(fail).toThrow('trapped');
    const [next, again] = await Promise.all([sharedLibav('tests'), sharedLibav('tests')]);
    expect([next === libav, next === again]).toEqual([false, true]);
    expect(await encodeAudio(samples, { format: 'flac', sampleRate })).toEqual(expected);
    for (const encoder of [first, second]) {
      const encoded = [...((await encoder?.push(samples)) ?? []), ...((await encoder?.flush()) ?? [])];
      expect(encoded.length).toBeGreaterThan(1);
    }
  });
});
