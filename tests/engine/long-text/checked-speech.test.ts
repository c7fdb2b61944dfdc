/** Attempts at parts: which are repeated, and which one is kept. */
import { describe, expect, it } from '@jest/globals';
import { createEngineFromBackend } from '../../../src/engine/engine.ts';
import type { Recognize } from '../../../src/engine/recognize.ts';
import { SvcError } from '../../../src/errors.ts';
import { collect } from '../../support/collect.ts';
import { createFakeBackend, type FakeOptions } from '../fake-backend.ts';

const setUp = (recognize?: Recognize, options: FakeOptions = { stopAt: 4 }) => {
  const backend = createFakeBackend(options);
  return { backend, engine: createEngineFromBackend(backend, { maxBatch: 4, recognize }) };
};

/** Hears these transcripts in turn. */
const hearing = (...transcripts: readonly string[]) => {
  const left = [...transcripts];
  const heard: number[] = [];
  const recognize: Recognize = async ({ samples }) => {
    heard.push(samples.length);
    return left.shift() ?? '';
  };
  return { recognize, heard };
};

const text = 'one two three four five';

describe('the words of speech', () => {
  it('are checked once if they are right', async () => {
    const { recognize, heard } = hearing('One, two, three, four, five.');
    const { engine } = setUp(recognize);
    const speech = await engine.synthesize({ text, seed: 7 });
    expect(speech).toMatchObject({ seed: 7, attempts: 1, warnings: [] });
    expect(speech.tries).toEqual([
      { part: 1, seed: 7, problem: undefined, transcript: 'One, two, three, four, five.', wordErrorRate: 0 },
    ]);
    expect(heard).toEqual([20]);
  });

  it('are spoken again with the next seed until they are right', async () => {
    const { recognize } = hearing('one two', 'one two three four five');
    const speech = await setUp(recognize).engine.synthesize({ text, seed: 7 });
    expect(speech).toMatchObject({ seed: 8, attempts: 2, warnings: [] });
    const rates = speech.tries.map(({ problem, wordErrorRate }) => `${problem} ${wordErrorRate}`);
    expect(rates).toEqual(['words 0.6', 'undefined 0']);
  });

  it('are kept from the best attempt if none is right', async () => {
    const { recognize } = hearing('one', 'one two three', 'five');
    const { engine } = setUp(recognize);
    const speech = await engine.synthesize({ text, seed: 7 });
    const alone = await setUp().engine.synthesize({ text, seed: 8 });
    expect(speech).toMatchObject({ seed: 8, attempts: 3, samples: alone.samples });
    const rates = speech.tries.map(({ seed, wordErrorRate }) => [seed, wordErrorRate]);
    expect(Object.fromEntries(rates)).toEqual({ 7: 0.8, 8: 0.4, 9: 0.8 });
    expect(speech.warnings).toEqual([
      'the speech is not recognized as written, even in the best attempt; try another seed or more attempts',
    ]);
  });

  it('may have as many errors as the request says', async () => {
    const { recognize, heard } = hearing('one two three four', 'one', 'two');
    const { engine } = setUp(recognize);
    expect(await engine.synthesize({ text, maxWordErrors: 0.2 })).toMatchObject({ attempts: 1 });
    expect(await engine.synthesize({ text, maxWordErrors: 0, retryBadcaseMaxTimes: 2 })).toMatchObject({ attempts: 2 });
    expect(heard).toHaveLength(3);
  });

  it('are not checked without retries, in streams, and where there are none', async () => {
    const { recognize, heard } = hearing();
    const { engine } = setUp(recognize);
    await engine.synthesize({ text, retryBadcase: false });
    await engine.synthesize({ text: '?!', clean: false });
    for await (const _ of engine.stream({ text }));
    expect(heard).toEqual([]);
  });

  it('are checked part by part in a long text, and the voice is learned from the best attempt', async () => {
    const sentences = ['One two three four five.', 'Six seven eight nine ten.'];
    const { recognize } = hearing('nonsense', ...sentences);
    const { engine } = setUp(recognize, { stopAt: 4, info: { contextLength: 320 } });
    const parts = await collect(engine.synthesizeParts({ text: sentences.join(' '), seed: 7 }));
    const tried = parts.map(({ tries }) => tries.map(({ part, problem }) => `${part} ${problem}`));
    expect(tried).toEqual([['1 words', '1 undefined'], ['2 undefined']]);
  });

  it('stay unchecked when the recognizer fails, with a warning', async () => {
    const failure = 'the recognizer at http://127.0.0.1:1 cannot be reached: connection refused';
    const recognize: Recognize = () => Promise.reject(new SvcError('NETWORK', failure));
    const speech = await setUp(recognize).engine.synthesize({ text, seed: 7 });
    expect(speech).toMatchObject({ seed: 7, attempts: 1, warnings: [`the speech is unchecked: ${failure}`] });
    expect(speech.tries[0]).toMatchObject({ failure });
    expect(speech.samples).toHaveLength(20);
  });

  it('end with the signal', async () => {
    const controller = new AbortController();
    const recognize: Recognize = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        controller.abort();
      });
    const speaking = setUp(recognize).engine.synthesize({ text }, { signal: controller.signal });
    await expect(speaking).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('the sound of speech', () => {
  const speaking = (loudness: (session: number) => number) =>
    setUp(undefined, { stopAt: 4, firstLevel: 0.1, loudness, info: { outputSampleRate: 100 } });

  it('is regenerated when it is too short, if requested', async () => {
    // 0.2 s for 22 syllables.
    const long = 'the weather is nice today and everybody is outside in the garden';
    const { engine } = speaking(() => 0.1);
    expect(await engine.synthesize({ text: long, seed: 7 })).toMatchObject({ attempts: 1 });
    const speech = await engine.synthesize({ text: long, seed: 7, retryShort: true });
    expect(speech).toMatchObject({ attempts: 3, seed: 9 });
    expect(speech.tries.map(({ problem }) => problem)).toEqual(['short', 'short', 'short']);
    expect(speech.warnings).toEqual(['the speech is too short for the text; words may be missing']);
  });

  it('is regenerated when it is clipped, if requested', async () => {
    const { engine } = speaking((session) => (session % 2 === 0 ? 20 : 0.1));
    expect(await engine.synthesize({ text: 'a', seed: 7 })).toMatchObject({ attempts: 1 });
    expect(await engine.synthesize({ text: 'a', seed: 7, retryClipped: true })).toMatchObject({ attempts: 1 });
    const speech = await engine.synthesize({ text: 'a', seed: 7, retryClipped: true });
    expect(speech).toMatchObject({ attempts: 2, seed: 8, warnings: [] });
    expect(speech.tries.map(({ problem }) => problem)).toEqual(['clipped', undefined]);
  });

  it('is tried as often as the request says, within the length that its ratio allows', async () => {
    const { engine, backend } = setUp(undefined, {});
    const limits = { retryBadcaseMaxTimes: 5, retryBadcaseRatioThreshold: 2 };
    const speech = await engine.synthesize({ text: 'a', seed: 7, ...limits });
    // Two tokens: bad from 4 patches, at most 14.
    expect(speech).toMatchObject({ attempts: 5, seed: 11, patches: 14, end: 'limit' });
    expect(speech.tries.map(({ problem }) => problem)).toEqual(Array(5).fill('long'));
    expect(backend.opened.map(({ steps }) => steps <= 15)).toEqual(Array(5).fill(true));
  });

  it('loses silence at its ends, the same in a stream', async () => {
    // Ten patches of a second, the first one silent.
    const { engine } = setUp(undefined, { stopAt: 9, info: { patchSamples: 1000, outputSampleRate: 1000 } });
    const request = { text: 'hello there', seed: 7, trimSilence: true };
    const whole = await engine.synthesize(request);
    const streamed = (await collect(engine.stream(request))).flatMap(({ samples }) => [...samples]);
    expect([whole.samples.length, whole.samples.indexOf(1)]).toEqual([9200, 200]);
    expect(streamed).toEqual([...whole.samples]);
    expect((await engine.synthesize({ ...request, trimSilence: false })).samples.length).toBe(10_000);
  });
});
