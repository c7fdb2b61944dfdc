/** How much audio an encoder needs before its output can be heard. */
import { describe, expect, it } from '@jest/globals';
import { decodeAudio } from '../../src/audio/decode/read-audio.ts';
import { type AudioFormatName, createEncoder } from '../../src/audio/encode/format.ts';
import { tone } from './tone.ts';

/** From docs/audio.md: samples at 48 kHz after which the first one can be decoded. */
const firstHeard = { wav: 1, pcm: 1, flac: 2_304, opus: 2_880, ogg: 2_880, aac: 3_072, mp3: 2_304 };

/** Samples that a running codec may hold back: its delay plus less than a frame or page. */
const held: Readonly<Partial<Record<AudioFormatName, number>>> = { flac: 2_304, opus: 3_192, aac: 3_072, mp3: 3_456 };

/** Silence that a decoder returns before the first sample. */
const leading: Readonly<Partial<Record<AudioFormatName, number>>> = { aac: 1_024, mp3: 1_105 };

interface Running {
  /** Number of samples at 48 kHz that can be decoded so far. */
  write(samples: Float32Array, expected?: number): Promise<number>;
  close(): Promise<void>;
}

/** AAC is encoded in a worker thread, for which the encoder waits only a second. */
const patience = { step: 50, most: 20_000 };

async function start(format: AudioFormatName, sampleRate: number): Promise<Running> {
  const parts: Buffer[] = [];
  const encoder = await createEncoder({ format, sampleRate }, async (bytes) => void parts.push(Buffer.from(bytes)));
  return {
    async write(samples, expected = 0) {
      await encoder.write(samples);
      for (let waited = 0; ; waited += patience.step) {
        const now = await receive(format, Buffer.concat(parts));
        if (format !== 'aac' || now >= expected || waited > patience.most) return now;
        await new Promise((resolve) => setTimeout(resolve, patience.step));
      }
    },
    close: encoder.close,
  };
}

async function receive(format: AudioFormatName, bytes: Buffer): Promise<number> {
  if (bytes.length === 0) return 0;
  if (format === 'pcm') return bytes.length / 2;
  const samples = await decodeAudio(bytes).then(
    (audio) => audio.samples,
    () => new Float32Array(0),
  );
  return Math.max(0, samples.length - (leading[format] ?? 0));
}

const formats = ['wav', 'pcm', 'flac', 'opus', 'mp3', 'aac'] as const;

describe.each(formats)('%s', (format) => {
  it('can be heard after the documented number of samples, not before', async () => {
    const running = await start(format, 48_000);
    const enough = firstHeard[format];
    if (enough > 1) expect(await running.write(tone(220, (enough - 1) / 48_000, 48_000))).toBe(0);
    expect(await running.write(Float32Array.of(0.1), 1)).toBeGreaterThan(0);
    await running.close();
  });

  it.each([
    ['80 ms', 3_840],
    ['160 ms', 7_680],
  ])('can be heard after the first patch of %s, and continues with each', async (_name, patch) => {
    const running = await start(format, 48_000);
    let before = 0;
    for (let count = 1; count <= 4; count += 1) {
      // Holds back no more than the codec needs.
      const expected = count * patch - (held[format] ?? 0);
      const now = await running.write(tone(220, patch / 48_000, 48_000), expected);
      expect(now).toBeGreaterThan(before);
      expect(now).toBeGreaterThanOrEqual(expected);
      before = now;
    }
    await running.close();
  });
});
