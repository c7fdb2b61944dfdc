/** Warnings about silent parts. */
import { describe, expect, it } from '@jest/globals';
import { createSoundCheck, silenceWarning } from '../../src/engine/bad-case.ts';
import { createEngineFromBackend, type Engine } from '../../src/engine/engine.ts';
import { createFakeBackend, type FakeBackend, type FakeOptions } from './fake-backend.ts';

const setUp = (options: FakeOptions): { readonly engine: Engine; readonly backend: FakeBackend } => {
  const backend = createFakeBackend({ stopAt: 4, ...options });
  return { engine: createEngineFromBackend(backend, { maxBatch: 2 }), backend };
};

async function listen(stream: AsyncIterable<{ readonly samples: Float32Array }>): Promise<readonly number[]> {
  const heard: number[] = [];
  for await (const { samples } of stream) heard.push(...samples);
  return heard;
}

describe('silence', () => {
  const silentUntil = (count: number): FakeOptions => ({ loudness: (session) => (session < count ? 1e-4 : 1) });

  it('is audio below -50 dBFS, or NaN', () => {
    for (const [value, isSilent] of [
      [0, true],
      [0.003, true],
      [Number.NaN, true],
      [0.0033, false],
      [-0.5, false],
    ] as const) {
      const check = createSoundCheck({ outputSampleRate: 10 });
      check.push(Float32Array.of(0, value, 0));
      expect([value, check.isSilent()]).toEqual([value, isSilent]);
    }
    const check = createSoundCheck({ outputSampleRate: 10 });
    check.push(new Float32Array(30));
    expect(check.isHopeless()).toBe(false);
    check.push(new Float32Array(1));
    expect(check.isHopeless()).toBe(true);
  });

  it('is regenerated with the next seed', async () => {
    const { engine, backend } = setUp(silentUntil(2));
    const speech = await engine.synthesize({ text: 'hello', seed: 7 });
    expect([speech.attempts, speech.seed, speech.warnings, backend.opened.length]).toEqual([3, 9, [], 3]);
    expect(Math.max(...speech.samples)).toBeGreaterThan(1);
  });

  it('always causes a warning', async () => {
    const { engine, backend } = setUp(silentUntil(99));
    const silent = 'the speech is silent; try another seed or another text';
    expect((await engine.synthesize({ text: 'hello' })).warnings).toEqual([silent]);
    expect(backend.opened).toHaveLength(3);
    const stream = engine.stream({ text: 'hello' });
    await listen(stream);
    expect([stream.warnings, backend.opened.length]).toEqual([[silent], 6]);
    expect((await engine.synthesize({ text: 'hello', retryBadcase: false })).warnings).toEqual([silent]);
    const once = engine.stream({ text: 'hello', retryBadcase: false });
    await listen(once);
    expect([once.warnings, backend.opened.length]).toEqual([[silent], 8]);
  });

  it('is sent in a stream, followed by the next attempt', async () => {
    const { engine, backend } = setUp(silentUntil(1));
    const stream = engine.stream({ text: 'hello', seed: 7 });
    const ends: unknown[] = [];
    const heard: number[] = [];
    for await (const { samples, end, index } of stream) {
      heard.push(...samples);
      ends.push([index, end]);
      if (index === 0) expect(backend.opened).toHaveLength(1);
    }
    const whole = await setUp({}).engine.synthesize({ text: 'hello', seed: 8 });
    const half = heard.length / 2;
    expect(heard.slice(half)).toEqual([...whole.samples]);
    expect(Math.max(...heard.slice(0, half))).toBeLessThan(0.003);
    expect(stream.warnings).toEqual([]);
    expect(ends.map((entry) => (entry as unknown[])[1])).toEqual([...Array(9).fill(undefined), 'stop']);
  });

  it('ends an attempt after three seconds', async () => {
    // Eight patches per second, and a model that never stops.
    const info = { patchSamples: 100, outputSampleRate: 800 };
    const { engine, backend } = setUp({ ...silentUntil(1), info, stopAt: 1000 });
    await engine.synthesize({ text: 'a long text', maxLength: 40 });
    const steps = (session: number): number => backend.log.filter((call) => call === `step ${session}`).length;
    expect(steps(0)).toBeLessThan(30);
    expect(steps(1)).toBe(40);
  });

  it('of a part is reported with its number, and never used as the voice of the others', async () => {
    const long = { limits: { maxTextCharacters: 20 } };
    const text = 'One two three four. Five six seven. Nine ten eleven.';
    const { engine, backend } = setUp({ info: long, loudness: (session) => (session < 3 ? 0 : 1) });
    const stream = engine.synthesizeParts({ text });
    await listen(stream);
    expect(stream.warnings).toEqual(['part 1 of 3 of the speech is silent; try another seed or another text']);
    // Without a prompt: three attempts for the first part and one for the second, whose voice the third uses.
    const hasPrompt = backend.prefixes.map(({ audioMask }) => audioMask.some((value) => value === 1));
    expect(hasPrompt).toEqual([false, false, false, false, true]);
  });

  it('of a text without words is reported but not regenerated', async () => {
    const { engine, backend } = setUp(silentUntil(99));
    const silent = 'the speech is silent; try another seed or another text';
    const speech = await engine.synthesize({ text: '...', clean: false });
    expect([speech.warnings, backend.opened.length]).toEqual([[silent], 1]);
    const stream = engine.stream({ text: '...', clean: false });
    for await (const _ of stream);
    expect([stream.warnings, backend.opened.length]).toEqual([[silent], 2]);
  });

  it('names a limited number of parts', () => {
    expect(silenceWarning([], 9)).toBeUndefined();
    expect(silenceWarning([1, 3, 4, 5, 6, 7, 8], 9)).toBe(
      'parts 2, 4, 5, 6, 7 and 2 more of 9 of the speech are silent; try another seed or another text',
    );
  });
});
