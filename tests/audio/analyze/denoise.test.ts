import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { measureLoudness } from '../../../src/audio/analyze/loudness.ts';
import { measureRecording } from '../../../src/audio/analyze/recording-quality.ts';
import type { Audio } from '../../../src/audio/audio.ts';
import { decodeAudio, readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { turns } from '../../support/turns.ts';
import { watchThreads } from '../../support/watch-threads.ts';
import { addNoise, distortionRatio, noises } from '../noises.ts';

const path = join(import.meta.dirname, '../../fixtures/voices/demo.wav');
let clean: Audio;

beforeAll(async () => {
  clean = await readAudioFile(path);
});

const denoised = (samples: Float32Array, sampleRate = clean.sampleRate): Promise<Audio> =>
  decodeAudio(encodeWav(samples, sampleRate, 'f32'), { denoise: true });

describe('denoising', () => {
  /** Improvements of the distortion ratio and of the noise in pauses, in dB; docs/adr/0044 has more of them. */
  it.each([
    ['white', 5, 10, 30],
    ['white', 10, 8, 25],
    ['pink', 5, 4, 15],
    ['hum', 10, 7, 30],
    ['hum', 20, 2, 15],
  ] as const)('removes %s noise at %d dB', async (kind, ratio, better, quieter) => {
    const noise = noises[kind](clean.samples.length, clean.sampleRate);
    const noisy = addNoise(clean.samples, noise, ratio);
    const { samples, sampleRate } = await denoised(noisy);
    expect(samples).toHaveLength(noisy.length);
    expect(distortionRatio(clean.samples, samples)).toBeGreaterThan(ratio + better);
    const before = measureRecording({ samples: noisy, sampleRate }).noiseDb ?? 0;
    expect(measureRecording({ samples, sampleRate }).noiseDb).toBeLessThan(before - quieter);
  });

  it('leaves a clean recording as it is, but for its loudness', async () => {
    const { samples, sampleRate, channels } = await readAudioFile(path, { denoise: true });
    expect({ sampleRate, channels }).toEqual({ sampleRate: 16_000, channels: 1 });
    expect(distortionRatio(clean.samples, samples)).toBeGreaterThan(30);
    expect(measureLoudness({ samples, sampleRate })).toBeCloseTo(-20, 4);
  });

  it('gives 16 kHz, in time with a recording of another rate', async () => {
    const length = Math.round((clean.samples.length * 48) / 16);
    const faster = Float32Array.from({ length }, (_, index) => {
      const [at, part] = [Math.floor(index / 3), (index % 3) / 3];
      return (clean.samples[at] ?? 0) * (1 - part) + (clean.samples[at + 1] ?? 0) * part;
    });
    const { samples, sampleRate } = await denoised(faster, 48_000);
    expect(sampleRate).toBe(16_000);
    expect(samples).toHaveLength(clean.samples.length);
    expect(distortionRatio(clean.samples, samples)).toBeGreaterThan(10);
  });

  it('keeps silence silent', async () => {
    const { samples } = await denoised(new Float32Array(16_000));
    expect(Math.max(...samples.map(Math.abs))).toBeLessThan(1e-3);
  });

  it.each([
    ['one sample of 1e30', (value: number, index: number) => (index === 100 ? 1e30 : value)],
    ['an amplitude of 3e38', (_: number, index: number) => 3e38 * Math.sin(index)],
  ])('gives finite samples for %s', async (_, change) => {
    for (const rate of [16_000, 48_000]) {
      const { samples } = await denoised(clean.samples.subarray(0, 32_000).map(change), rate);
      expect(samples.findIndex((value) => !Number.isFinite(value))).toBe(-1);
    }
  });

  it("does not block the caller's thread", async () => {
    using threads = watchThreads();
    await denoised(clean.samples);
    expect(threads.answers()).toEqual(['audio']);
  });

  it('stops when canceled', async () => {
    const minute = Float32Array.from({ length: 60 * 16_000 }, (_, index) => clean.samples[index % 16_000] as number);
    // Its thread is ready for the next one.
    await denoised(clean.samples);
    using threads = watchThreads();
    const controller = new AbortController();
    const decoding = decodeAudio(encodeWav(minute, 16_000), { denoise: true, signal: controller.signal });
    await turns();
    controller.abort();
    await expect(decoding).rejects.toMatchObject({ code: 'CANCELLED' });
    await threads.ended();
    expect(threads.answers()).toEqual([]);
  });
});
