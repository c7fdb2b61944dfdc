import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { checkPrompt } from '../../../src/audio/analyze/prompt-check.ts';
import { describeQuality, measureRecording } from '../../../src/audio/analyze/recording-quality.ts';
import type { Audio } from '../../../src/audio/audio.ts';
import { readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import { tone } from '../tone.ts';
import { promptModel as model } from './prompt-model.ts';

/** White noise of a level, the same in every run. */
function noise(length: number, levelDb: number): Float32Array {
  let state = 1;
  // Uniform in [-1, 1], whose mean square is 1/3.
  const scale = Math.sqrt(3) * 10 ** (levelDb / 20);
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return scale * (state / 2 ** 31 - 1);
  });
}

describe.each(['demo', 'demo-slow'])('measureRecording of the speech of %s', (name) => {
  let speech: Audio;
  let clean: ReturnType<typeof measureRecording>;

  const withNoise = (snrDb: number): Audio => {
    const added = noise(speech.samples.length, clean.levelDb - snrDb);
    return { ...speech, samples: speech.samples.map((sample, index) => sample + (added[index] as number)) };
  };

  beforeAll(async () => {
    speech = await readAudioFile(join(import.meta.dirname, '../../fixtures/voices', `${name}.wav`));
    clean = measureRecording(speech);
  });

  it('finds it clean', () => {
    expect(clean.seconds).toBeCloseTo(speech.samples.length / speech.sampleRate, 6);
    expect(clean.snrDb).toBeGreaterThan(40);
    expect(clean.clipped).toBe(0);
    expect(checkPrompt(speech, model, 'prompt')).toEqual([]);
  });

  it.each([30, 20, 15, 10, 5])('finds noise %d dB below it', (snrDb) => {
    const found = measureRecording(withNoise(snrDb));
    expect(Math.abs((found.snrDb ?? 0) - snrDb)).toBeLessThan(1.5);
    expect(Math.abs(found.levelDb - clean.levelDb)).toBeLessThan(2);
    const noisy = checkPrompt(withNoise(snrDb), model, 'prompt').some((warning) => warning.includes('is noisy'));
    if (snrDb !== 15) expect(noisy).toBe(snrDb < 15);
  });

  it('finds its level', () => {
    for (const change of [-20, -10, 6]) {
      const changed = { ...speech, samples: speech.samples.map((sample) => sample * 10 ** (change / 20)) };
      expect(measureRecording(changed).levelDb).toBeCloseTo(clean.levelDb + change, 3);
    }
    const quiet = { ...speech, samples: speech.samples.map((sample) => sample * 0.05) };
    expect(checkPrompt(quiet, model, 'prompt')).toEqual([
      `the prompt audio is quiet (${Math.round(clean.levelDb - 26)} dB); a louder recording sounds better`,
    ]);
  });

  it('finds clipping', () => {
    const clipped = { ...speech, samples: speech.samples.map((sample) => Math.max(-1, Math.min(1, sample * 8))) };
    const share = clipped.samples.filter((sample) => Math.abs(sample) === 1).length / clipped.samples.length;
    expect(measureRecording(clipped).clipped).toBeCloseTo(share, 3);
    expect(checkPrompt(clipped, model, 'prompt')).toContain(
      'the prompt audio is clipped; a quieter recording sounds better',
    );
  });
});

describe('measureRecording', () => {
  it('knows no background of a tone or of noise alone', () => {
    for (const samples of [tone(220, 2, 16_000), noise(32_000, -30)]) {
      const { noiseDb, snrDb } = measureRecording({ samples, sampleRate: 16_000 });
      expect([noiseDb, snrDb]).toEqual([undefined, undefined]);
    }
    const { levelDb, silent } = measureRecording({ samples: noise(32_000, -30), sampleRate: 16_000 });
    expect(levelDb).toBeCloseTo(-30, 0);
    expect(silent).toBe(0);
  });

  it('measures digital silence as the lowest level', () => {
    const samples = new Float32Array(32_000);
    samples.set(tone(220, 1, 16_000));
    expect(measureRecording({ samples, sampleRate: 16_000 })).toMatchObject({ noiseDb: -96, silent: 0.5 });
    expect(measureRecording({ samples: samples.fill(0), sampleRate: 16_000 })).toMatchObject({ levelDb: -96 });
    expect(measureRecording({ samples: new Float32Array(0), sampleRate: 16_000 })).toMatchObject({ seconds: 0 });
  });
});

describe('describeQuality', () => {
  it('names what is known, in one line', () => {
    const known = { seconds: 5, levelDb: -21.4, noiseDb: -62, snrDb: 40.6, silent: 0, clipped: 0 };
    expect(describeQuality(known)).toBe('5.0 s, speech -21 dB, noise -62 dB (41 dB below)');
    expect(describeQuality({ ...known, noiseDb: undefined, snrDb: undefined, clipped: 0.012 })).toBe(
      '5.0 s, speech -21 dB, 1.2 % clipped',
    );
  });
});
