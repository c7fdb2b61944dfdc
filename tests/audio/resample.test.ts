import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAudioFile } from '../../src/audio/read-audio.ts';
import { type EncoderInput, loadPrompt, resample } from '../../src/audio/resample.ts';
import { readGolden, readSafetensors } from '../support/golden.ts';

const fixtures = join(import.meta.dirname, '../fixtures');

const differences = (actual: Float32Array, expected: ArrayLike<number>) => {
  let largest = 0;
  let squares = 0;
  for (let index = 0; index < actual.length; index += 1) {
    const difference = Math.abs((actual[index] as number) - (expected[index] as number));
    largest = Math.max(largest, difference);
    squares += difference ** 2;
  }
  return { largest, rms: Math.sqrt(squares / actual.length) };
};

const sine = (frequency: number, rate: number, length: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => Math.sin((2 * Math.PI * frequency * index) / rate));

const encoderInput = (name: string): EncoderInput => {
  const { architecture, derived } = readGolden(join(fixtures, name));
  return {
    architecture,
    inputSampleRate: derived.encode_sample_rate,
    inputPatchSamples: derived.samples_per_patch_in,
    maxLength: 256,
  };
};

describe('loadPrompt', () => {
  it.each([
    { name: 'tiny-v1', largest: 2e-5, rms: 2e-6 },
    { name: 'tiny-v15', largest: 2e-5, rms: 2e-6 },
    { name: 'tiny-v2', largest: 3e-3, rms: 5e-4 },
  ])('resamples 24 kHz stereo as the original of $name does', async ({ name, ...tolerance }) => {
    const golden = readSafetensors(join(fixtures, name, 'golden.safetensors')).get('audio.b.resampled');
    const actual = loadPrompt(await readAudioFile(join(fixtures, name, 'prompt_b.wav')), encoderInput(name));

    expect(actual).toHaveLength(golden?.data.length ?? -1);
    const { largest, rms } = differences(actual, golden?.data ?? []);
    expect(largest).toBeLessThanOrEqual(tolerance.largest);
    expect(rms).toBeLessThanOrEqual(tolerance.rms);
  });

  it('leaves audio of the right rate as it is', async () => {
    const audio = await readAudioFile(join(fixtures, 'tiny-v1/prompt_a.wav'));
    expect(loadPrompt(audio, encoderInput('tiny-v1'))).toBe(audio.samples);
  });

  it('refuses audio that takes more positions than the model has, before it converts it', () => {
    const audio = { samples: new Float32Array(8_000 * 60), sampleRate: 8_000, channels: 1 };
    expect(() => loadPrompt(audio, encoderInput('tiny-v1'))).toThrow(
      'expected at most 20 seconds for prompt or reference audio, received 60',
    );
  });
});

describe('resample', () => {
  it.each([
    [48_000, 16_000],
    [44_100, 16_000],
    [22_050, 44_100],
    [8_000, 44_100],
    [11_025, 16_000],
    [44_101, 16_000],
  ])('keeps a tone from %d to %d Hz', (from, to) => {
    for (const kind of ['torchaudio', 'soxr-like'] as const) {
      const converted = resample(sine(440, from, Math.floor(from / 2)), from, to, kind);
      expect(converted).toHaveLength(Math.ceil((Math.floor(from / 2) * to) / from));
      const margin = Math.ceil(to / 50);
      const { largest } = differences(
        converted.subarray(margin, -margin),
        sine(440, to, converted.length).subarray(margin, -margin),
      );
      expect(largest).toBeLessThan(kind === 'torchaudio' ? 0.01 : 1e-4);
    }
  });

  it('removes what the new rate cannot hold', () => {
    const converted = resample(sine(11_000, 48_000, 48_000), 48_000, 16_000, 'soxr-like');
    expect(Math.max(...converted.subarray(200, -200).map(Math.abs))).toBeLessThan(1e-5);
  });

  it.each([1, 2, 3, 100])('gives ceil(n × to / from) samples of %d', (length) => {
    expect(resample(new Float32Array(length), 48_000, 16_000, 'torchaudio')).toHaveLength(Math.ceil(length / 3));
    expect(resample(new Float32Array(length), 16_000, 44_100, 'soxr-like')).toHaveLength(
      Math.ceil((length * 441) / 160),
    );
  });

  it('gives nothing for nothing', () => {
    expect(resample(new Float32Array(0), 48_000, 16_000, 'soxr-like')).toHaveLength(0);
  });

  it('converts a minute of 48 kHz in seconds of computing', () => {
    const minute = new Float32Array(60 * 48_000).fill(0.1);
    // Of this process, so that it makes no difference what else the machine does.
    const started = process.cpuUsage();
    resample(minute, 48_000, 16_000, 'torchaudio');
    resample(minute, 48_000, 16_000, 'soxr-like');
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(10);
  });

  it.each([
    [0, 16_000],
    [44_100.5, 16_000],
    [Number.NaN, 16_000],
    [767_999, 16_000],
  ])('refuses %d Hz to %d Hz', (from, to) => {
    expect(() => resample(new Float32Array(1e6), from, to, 'soxr-like')).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_AUDIO' }),
    );
  });
});
