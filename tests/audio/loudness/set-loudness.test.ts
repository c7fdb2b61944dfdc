import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { acxProblems } from '../../../src/audio/analyze/acx.ts';
import { createLevelMeter } from '../../../src/audio/analyze/levels.ts';
import { createLoudnessMeter, measureLoudness } from '../../../src/audio/analyze/loudness.ts';
import { createAudioFile } from '../../../src/audio/encode/format.ts';
import { createLeveledSink } from '../../../src/audio/loudness/leveled-sink.ts';
import { parseLoudness } from '../../../src/audio/loudness/loudness-target.ts';
import { measure, type Samples, setLoudness } from '../../../src/audio/loudness/set-loudness.ts';
import { concatenate } from '../../../src/float-arrays.ts';
import { freshFolder } from '../../support/test-folder.ts';

const sampleRate = 16_000;

/** As speech is: syllables of several levels, with plosives, and pauses. */
function speechLike(seconds: number, level = 0.1): Float32Array {
  return Float32Array.from({ length: seconds * sampleRate }, (_, index) => {
    const time = index / sampleRate;
    if (time % 3 > 2.4) return 0;
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 2 * time)) * (0.4 + 0.6 * Math.abs(Math.sin(time)));
    const plosive = index % 3_200 < 24 ? 6 : 1;
    return level * plosive * syllable * Math.sin(2 * Math.PI * 210 * time + Math.sin(9 * time));
  });
}

async function* inPieces(samples: Float32Array, size = 40_000): Samples {
  for (let start = 0; start < samples.length; start += size) yield samples.subarray(start, start + size);
}

async function collect(samples: Samples): Promise<Float32Array> {
  const pieces: Float32Array[] = [];
  for await (const piece of samples) pieces.push(piece);
  return concatenate(pieces);
}

describe('levels', () => {
  it('are the same in pieces', () => {
    const samples = speechLike(1);
    const whole = measureLoudness({ samples, sampleRate });
    for (const size of [1, 999, 6_400]) {
      const meter = createLoudnessMeter(sampleRate);
      for (let start = 0; start < samples.length; start += size) meter.push(samples.subarray(start, start + size));
      expect(meter.loudness()).toBe(whole);
    }
  });

  it('of a sine are its mean, its peaks between samples too', async () => {
    // Sampled at 45°, where every sample is 3 dB below the peak.
    const samples = Float32Array.from({ length: 2 * sampleRate }, (_, n) => Math.sin((Math.PI / 2) * n + Math.PI / 4));
    const { rms, peak, truePeak } = await measure(inPieces(samples), sampleRate);
    expect([rms, peak]).toEqual([expect.closeTo(-3.01, 2), expect.closeTo(-3.01, 2)]);
    // The beginning overshoots a little.
    expect(truePeak).toBeGreaterThan(-0.1);
    expect(truePeak).toBeLessThan(1);
  });

  it('have the noise of the quietest half second', () => {
    const meter = createLevelMeter(sampleRate);
    meter.push(speechLike(2).map((value) => value + 0.1));
    meter.push(new Float32Array(sampleRate).fill(0.001));
    expect(meter.levels().noiseFloor).toBeCloseTo(-60, 2);
  });

  it('are judged as ACX does', () => {
    const fit = { loudness: -20, rms: -20, peak: -3.5, truePeak: -3.4, noiseFloor: Number.NEGATIVE_INFINITY };
    expect(acxProblems(fit)).toEqual([]);
    expect(acxProblems({ ...fit, rms: -17, peak: -2.96, noiseFloor: -50 })).toEqual([
      'RMS -17.0 dB is above -18 dB',
      'peak -3.0 dB is above -3 dB',
      'noise floor -50.0 dB is above -60 dB',
    ]);
    expect(acxProblems({ ...fit, rms: -24 })).toEqual(['RMS -24.0 dB is below -23 dB']);
  });
});

describe('setting the loudness', () => {
  it.each([
    // A gain alone.
    [0.1, { loudness: -30, truePeak: -3 }],
    // Peaks that the limiter takes.
    [0.1, { loudness: -18, truePeak: -3 }],
    [0.01, { loudness: -16, truePeak: -1 }],
  ] as const)('of speech at level %d reaches %j', async (level, target) => {
    const samples = speechLike(6, level);
    const leveled = await setLoudness(() => inPieces(samples), sampleRate, target);
    const after = await collect(leveled.samples());
    expect(after).toHaveLength(samples.length);
    const measured = await measure(inPieces(after), sampleRate);
    expect(Math.abs((measured.loudness ?? 0) - target.loudness)).toBeLessThan(0.2);
    expect(measured.truePeak).toBeLessThanOrEqual(target.truePeak);
    for (const name of ['loudness', 'rms', 'peak', 'truePeak'] as const)
      expect(leveled.levels[name]).toBeCloseTo(measured[name] ?? Number.NaN, 2);
    // Each reading gives the same.
    expect(await collect(leveled.samples())).toEqual(after);
  });

  it('keeps peaks even where the loudness can not be reached', async () => {
    const samples = speechLike(6);
    const { levels } = await setLoudness(() => inPieces(samples), sampleRate, { loudness: -9, truePeak: -12 });
    expect(levels.truePeak).toBeLessThanOrEqual(-12);
    expect(levels.loudness).toBeLessThan(-10);
  });

  it('leaves alone what is too quiet or too short to be measured', async () => {
    for (const samples of [new Float32Array(2 * sampleRate), speechLike(1).subarray(0, 800), new Float32Array(0)]) {
      const leveled = await setLoudness(() => inPieces(samples), sampleRate, { loudness: -18, truePeak: -3 });
      expect([leveled.gain, leveled.levels.loudness]).toEqual([0, undefined]);
      expect(await collect(leveled.samples())).toEqual(samples);
    }
  });
});

describe('a leveled sink', () => {
  const folder = freshFolder();
  const leveling = (signal: AbortSignal) => ({
    sampleRate,
    target: { loudness: -20, truePeak: -3 },
    keptPath: folder.join('kept.tmp'),
    signal,
    onLevels: () => undefined,
  });

  it('leaves nothing but its file', async () => {
    const file = await createAudioFile(folder.join('out.wav'), { format: 'wav', sampleRate });
    const sink = await createLeveledSink(file, leveling(new AbortController().signal));
    for await (const piece of inPieces(speechLike(5))) await sink.write(piece);
    await sink.finish();
    expect(await readdir(folder.path)).toEqual(['out.wav']);
    expect((await readFile(folder.join('out.wav'))).length).toBe(44 + 2 * 5 * sampleRate);
  });

  it('leaves nothing when it is canceled while it writes', async () => {
    const controller = new AbortController();
    const file = await createAudioFile(folder.join('out.wav'), { format: 'wav', sampleRate });
    const sink = await createLeveledSink(file, leveling(controller.signal));
    await sink.write(speechLike(2));
    controller.abort(new Error('stop'));
    await expect(sink.finish()).rejects.toThrow('stop');
    await sink.abort();
    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe('a target', () => {
  it.each([
    ['-18', { loudness: -18, truePeak: -3 }],
    ['-16.5', { loudness: -16.5, truePeak: -3 }],
    ['Audiobook', { loudness: -20, truePeak: -3.5 }],
    ['podcast', { loudness: -16, truePeak: -1 }],
  ])('%s', (text, target) => expect(parseLoudness(text, '--loudness')).toEqual(target));

  it.each(['18', '-8', '-37', 'loud', '', '-1e1'])('is not %j', (text) => {
    expect(() => parseLoudness(text, '--loudness')).toThrow(
      /^--loudness must be audiobook, podcast, or -36 to -9 LUFS, got/,
    );
  });
});
