import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { measureLoudness } from '../../src/audio/loudness.ts';
import { readAudioFile } from '../../src/audio/read-audio.ts';

const voice = (name: string): string => join(import.meta.dirname, '../fixtures/voices', name);

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

  // EBU Tech 3341, test 3: the gate leaves out what is far quieter.
  it('leaves out quiet passages and silence', () => {
    const sampleRate = 48_000;
    const passages = [sine(sampleRate, 5, -36), sine(sampleRate, 20, -23), new Float32Array(5 * sampleRate)];
    const samples = Float32Array.from(passages.flatMap((passage) => [...passage]));
    expect(Math.abs((measureLoudness({ samples, sampleRate }) ?? 0) + 26.01)).toBeLessThan(0.1);
  });

  it('is undefined of silence, and of less than 0.4 s', () => {
    const sampleRate = 16_000;
    expect(measureLoudness({ samples: new Float32Array(sampleRate), sampleRate })).toBeUndefined();
    expect(measureLoudness({ samples: sine(sampleRate, 0.39, 0), sampleRate })).toBeUndefined();
  });
});
