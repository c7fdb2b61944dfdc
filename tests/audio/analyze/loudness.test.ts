import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { measureLoudness } from '../../../src/audio/analyze/loudness.ts';
import { readAudioFile } from '../../../src/audio/decode/read-audio.ts';

const voice = (name: string): string => join(import.meta.dirname, '../../fixtures/voices', name);

const sine = (sampleRate: number, seconds: number, peakDb: number): Float32Array =>
  Float32Array.from(
    { length: seconds * sampleRate },
    (_, index) => 10 ** (peakDb / 20) * Math.sin((2 * Math.PI * 997 * index) / sampleRate),
  );

describe('measureLoudness', () => {
  // As the `ebur128` filter of FFmpeg 5.1 measures them.
  it.each([
    ['demo.wav', -15.473],
    ['demo-slow.wav', -15.536],
  ])('agrees with FFmpeg on %s', async (name, expected) => {
    expect(Math.abs((measureLoudness(await readAudioFile(voice(name))) ?? 0) - expected)).toBeLessThan(0.05);
  });

  // ITU-R BS.1770-4: a sine of 997 Hz at full scale in one channel.
  it.each([16_000, 44_100, 48_000])('is -3.01 LUFS for a full-scale tone at %d Hz', (sampleRate) => {
    const samples = sine(sampleRate, 3, 0);
    expect(Math.abs((measureLoudness({ samples, sampleRate }) ?? 0) + 3.01)).toBeLessThan(0.05);
  });

  // Blocks of 0.4 s begin every 0.1 s: two of them here, one with 0.3 s of the tone.
  it('is the mean of blocks that overlap', () => {
    const [sampleRate, silence] = [48_000, 4_800];
    const samples = new Float32Array(5 * silence);
    samples.set(sine(sampleRate, 0.4, 0), silence);
    expect(measureLoudness({ samples, sampleRate })).toBeCloseTo(-3.01 + 10 * Math.log10(1.75 / 2), 1);
  });

  // EBU Tech 3341, test 3: the gate, 10 LU below what isn't silent, leaves out what is far quieter.
  it.each([
    [-36, -26.01],
    [-34.4, -26.01],
    [-33.4, -26.87],
  ])('leaves out silence, and a passage of %d dB if it is quiet enough', (quiet, expected) => {
    const sampleRate = 16_000;
    const passages = [sine(sampleRate, 5, quiet), sine(sampleRate, 20, -23), new Float32Array(5 * sampleRate)];
    const samples = Float32Array.from(passages.flatMap((passage) => [...passage]));
    expect(Math.abs((measureLoudness({ samples, sampleRate }) ?? 0) - expected)).toBeLessThan(0.1);
  });

  it('is undefined below -70 LUFS, and of less than 0.4 s', () => {
    const sampleRate = 16_000;
    const measured = (seconds: number, peakDb: number) =>
      measureLoudness({ samples: sine(sampleRate, seconds, peakDb), sampleRate });
    expect(measured(1, Number.NEGATIVE_INFINITY)).toBeUndefined();
    expect(measured(1, -67.2)).toBeUndefined();
    expect(measured(1, -66.7)).toBeCloseTo(-69.71, 1);
    expect(measured(0.39, 0)).toBeUndefined();
    expect(measured(0.4, 0)).toBeCloseTo(-3.01, 1);
  });
});
