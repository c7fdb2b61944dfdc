import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import { type EncoderInput, loadPrompt } from '../../../src/audio/resample/resample.ts';
import { resampleAsTorchaudio } from '../../../src/audio/resample/torchaudio-resample.ts';
import { readGolden, readSafetensors } from '../../support/golden.ts';
import { countedCopy, growthOf, workOf } from '../../support/work.ts';
import { differences } from '../differences.ts';
import { conversions, toneError } from './kept-tone.ts';

const counted = await countedCopy<typeof import('../../../src/audio/resample/resample.ts')>(
  'src/audio/resample/resample.ts',
);

const fixtures = join(import.meta.dirname, '../../fixtures');

const encoderInput = (name: string): EncoderInput => {
  const { architecture, derived } = readGolden(join(fixtures, name));
  return {
    architecture,
    inputSampleRate: derived.encode_sample_rate,
    inputPatchSamples: derived.samples_per_patch_in,
    contextLength: 256,
  };
};

describe('loadPrompt', () => {
  it.each([
    { name: 'tiny-v1', largest: 2e-5, rms: 2e-6 },
    { name: 'tiny-v15', largest: 2e-5, rms: 2e-6 },
    { name: 'tiny-v2', largest: 1e-4, rms: 3e-5 },
  ])('resamples 24 kHz stereo like the official implementation of $name', async ({ name, ...tolerance }) => {
    const golden = readSafetensors(join(fixtures, name, 'golden.safetensors')).get('audio.b.resampled');
    const actual = await loadPrompt(await readAudioFile(join(fixtures, name, 'prompt_b.wav')), encoderInput(name));

    expect(actual).toHaveLength(golden?.data.length ?? -1);
    const { largest, rms } = differences(actual, golden?.data ?? []);
    expect(largest).toBeLessThanOrEqual(tolerance.largest);
    expect(rms).toBeLessThanOrEqual(tolerance.rms);
  });

  it('does not change audio with the right sample rate', async () => {
    const audio = await readAudioFile(join(fixtures, 'tiny-v1/prompt_a.wav'));
    expect(await loadPrompt(audio, encoderInput('tiny-v1'))).toBe(audio.samples);
  });

  it('refuses audio longer than the model supports before converting it', async () => {
    const audio = { samples: new Float32Array(8_000 * 60), sampleRate: 8_000, channels: 1 };
    await expect(loadPrompt(audio, encoderInput('tiny-v1'))).rejects.toThrow(
      'prompt or reference audio must be at most 20 seconds long, got 60',
    );
  });

  it.each(['tiny-v1', 'tiny-v2'])('converts 48 kHz for %s in linear time', async (name) => {
    const input = { ...encoderInput(name), contextLength: 8_192 };
    const convert = (seconds: number) => {
      const samples = new Float32Array(seconds * 48_000).fill(0.1);
      return counted.loadPrompt({ samples, sampleRate: 48_000, channels: 1 }, input);
    };
    expect(await growthOf(convert, 1, 4)).toBeLessThan(5);
    // 714 for the first; the other one computes in WebAssembly, which is not counted.
    expect((await workOf(() => convert(1))) / 48_000).toBeLessThan(1_500);
  });

  it.each([0, -1, 44_100.5, Number.NaN, 768_001])('refuses %d Hz', async (sampleRate) => {
    const audio = { samples: new Float32Array(1_000), sampleRate, channels: 1 };
    for (const name of ['tiny-v1', 'tiny-v2']) {
      await expect(loadPrompt(audio, encoderInput(name))).rejects.toMatchObject({ code: 'UNSUPPORTED_AUDIO' });
    }
  });
});

describe('resampleAsTorchaudio', () => {
  it.each(conversions)('preserves a tone from %d to %d Hz', async (from, to) => {
    const { largest, length, expected } = await toneError(resampleAsTorchaudio, from, to);
    expect(length).toBe(expected);
    expect(largest).toBeLessThan(0.01);
  });

  it.each([0, 1, 2, 3, 100])('returns ceil(n × to / from) samples for %d', async (length) => {
    expect(await resampleAsTorchaudio(new Float32Array(length), 48_000, 16_000)).toHaveLength(Math.ceil(length / 3));
  });
});
