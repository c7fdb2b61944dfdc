import { describe, expect, it } from '@jest/globals';
import {
  createEngineFromBackend,
  type Progress,
  type SpeechChunk,
  type SpokenPart,
} from '../../../src/engine/engine.ts';
import { partSeed } from '../../../src/engine/long-text/part-voice.ts';
import { seededNoise } from '../../../src/engine/noise.ts';
import { concatenate } from '../../../src/float-arrays.ts';
import { accept, partsOf } from '../../support/accept.ts';
import { collect } from '../../support/collect.ts';
import { errorOf } from '../../support/errors.ts';
import { createFakeBackend, type FakeBackend, type FakeOptions, fakeInfo, textOf } from '../fake-backend.ts';

/** Parts have up to 20 letters; a patch is a second, so that one part is long enough for a voice. */
const limits = { maxTextCharacters: 20 };
const second = { patchSamples: 100, outputSampleRate: 100, limits };

const setUp = (options: FakeOptions = {}, maxBatch = 4) => {
  const backend = createFakeBackend({ stopAt: 4, ...options, info: { ...second, ...options.info } });
  return { backend, engine: createEngineFromBackend(backend, { maxBatch }) };
};

const text = 'One is the first. Two is the next. Three is a part. Four is there. Five is too. Six.';
const spokenTexts = text.split(/(?<=\.) (?!Six)/);
const audio = { samples: new Float32Array(9).fill(0.1), sampleRate: 16_000, channels: 1 };

const samplesOf = (items: readonly (SpokenPart | SpeechChunk)[]): Float32Array =>
  concatenate(items.map(({ samples }) => samples));

const textLengths = (backend: FakeBackend): number[] =>
  backend.prefixes.map(({ tokens, audioMask }) => tokens.length - audioMask.filter(Boolean).length);

const methods = ['synthesizeParts', 'stream'] as const;

const expectClosed = (backend: FakeBackend): void => {
  expect(backend.opened.map(({ closed }) => closed)).toEqual(backend.opened.map(() => true));
};

/** With a voice from the start, all parts run concurrently. */
const prompt = { promptAudio: { role: 'prompt', patches: new Float32Array(6) }, promptText: 'a' } as const;

describe('the plan of a text', () => {
  it.each([
    ['the length that models were trained on', {}, 2],
    ['an eighth of the positions of the model', { contextLength: 800 }, 7],
    ['a few words, whatever the model', { contextLength: 16 }, 14],
    ['what the model says of itself', { contextLength: 800, limits: { maxTextCharacters: 60 } }, 14],
  ])('limits parts by %s', (_, info, count) => {
    const model = { ...fakeInfo, contextLength: 8192, ...info };
    const request = { text: 'One two three four five six seven. '.repeat(14) };
    expect(partsOf(accept(request, model), model)).toHaveLength(count);
  });
});

describe('a text of many parts', () => {
  it('is spoken once, in order', async () => {
    const { engine, backend } = setUp();
    const parts = await collect(engine.synthesizeParts({ text, seed: 1 }));
    expect(parts.map((part) => part.text)).toEqual(spokenTexts);
    expect(parts.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(parts.every(({ patches, end, attempts }) => patches === 5 && end === 'stop' && attempts === 1)).toBe(true);
    expect(backend.opened).toHaveLength(5);
    expectClosed(backend);
  });

  it('has the same samples in parts, complete and streamed, for all batch sizes', async () => {
    const expected = await setUp().engine.synthesize({ text, seed: 1 });
    expect(expected).toMatchObject({ parts: 5, patches: 25, seed: 1, end: 'stop', attempts: 1 });
    for (const maxBatch of [1, 3, 8]) {
      const { engine } = setUp({}, maxBatch);
      expect(samplesOf(await collect(engine.synthesizeParts({ text, seed: 1 })))).toEqual(expected.samples);
      expect(samplesOf(await collect(engine.stream({ text, seed: 1 })))).toEqual(expected.samples);
    }
  });

  it('derives the noise of each part from the seed', async () => {
    const patchesOf = async (seed: number) =>
      (await collect(setUp().engine.stream({ text, seed }))).map(({ patch }) => [...patch]);
    const first = await patchesOf(5);
    expect(await patchesOf(5)).toEqual(first);
    expect(await patchesOf(6)).not.toEqual(first);
    expect(new Set(first.map(String)).size).toBe(first.length);
    const seeds = Array.from({ length: 10_000 }, (_, index) => partSeed(5, index));
    // Retries continue from these seeds.
    expect(new Set(seeds.flatMap((seed) => [seed, seed + 1, seed + 2])).size).toBe(30_000);
    expect(seeds[0]).toBe(5);
  });

  it('has longer pauses between paragraphs', async () => {
    const lengthOf = async (words: string): Promise<number> =>
      (await setUp().engine.synthesize({ text: words, seed: 1, ...prompt })).samples.length;
    const sentence = await lengthOf('One is the first. Two is the next.');
    const paragraph = await lengthOf('One is the first.\n\nTwo is the next.');
    expect((paragraph - sentence) / 100).toBeCloseTo(0.5, 2);
  });

  it('can be generated as one part', async () => {
    const { engine, backend } = setUp();
    expect(await engine.synthesize({ text, split: false })).toMatchObject({ parts: 1 });
    expect(backend.opened).toHaveLength(1);
  });

  it('reports progress', async () => {
    const reports: Progress[] = [];
    await setUp().engine.synthesize({ text, seed: 1 }, { onProgress: (report) => reports.push(report) });
    expect(reports).toHaveLength(25);
    expect(reports[0]).toMatchObject({ part: 1, parts: 5, finished: 0, attempt: 1, patches: 1 });
    expect(reports.at(-1)).toMatchObject({ parts: 5, patches: 5 });
    expect(new Set(reports.map(({ part }) => part))).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  it('regenerates a bad part with a separate seed', async () => {
    const babbling = setUp({ stopAt: 1e9 });
    const given = { text: 'One is. \n\n Two is.', seed: 9, ...prompt };
    const parts = await collect(babbling.engine.synthesizeParts(given));
    expect(parts.map(({ attempts, end }) => `${attempts} ${end}`)).toEqual(['3 limit', '3 limit']);
    expect(parts.map(({ seed }) => seed)).toEqual([11, partSeed(9, 1) + 2]);
  });
});

describe('the voice', () => {
  it('is taken from the beginning of the speech by default', async () => {
    const { engine, backend } = setUp();
    await collect(engine.stream({ text, seed: 1 }));
    // Five patches of the first part are the prompt of all others.
    expect(backend.audio).toEqual([0, 5, 5, 5, 5]);
    const noise = seededNoise(1);
    const beginning = concatenate([0, 1, 2, 3, 4].map((index) => noise.next(6).map((value) => value + index)));
    for (const { features } of backend.prefixes.slice(1)) expect(features).toEqual(beginning);
    // Its text precedes theirs, separated by a space.
    const lengths = textLengths(backend);
    expect(lengths[1]).toBe((lengths[0] as number) + 1 + (spokenTexts[1] as string).length);
  });

  it('is determined before parts run concurrently', async () => {
    const { engine, backend } = setUp();
    await collect(engine.synthesizeParts({ text, seed: 1 }));
    expect(backend.log.indexOf('open')).toBe(0);
    const firstClosed = backend.log.indexOf('close 0');
    expect(backend.log.slice(1, firstClosed)).not.toContain('open');
    expect(backend.log).toContain('step 1+2+3+4');
  });

  it('grows until it is long enough', async () => {
    const { engine, backend } = setUp({ info: { patchSamples: 30 } });
    await collect(engine.stream({ text, seed: 1 }));
    // 1.5 s per part: two parts last three seconds.
    expect(backend.audio).toEqual([0, 5, 10, 10, 10]);
  });

  it('is not taken from a part that reached its limit', async () => {
    const { engine, backend } = setUp({ stopAt: 1e9 }, 2);
    await collect(engine.synthesizeParts({ text, seed: 1, maxLength: 6, retryBadcase: false }));
    expect(backend.audio).toEqual([0, 0, 0, 0, 0]);
    // Three attempts alone, then concurrently.
    expect(backend.log).toContain('step 3+4');
    expect(backend.log).not.toContain('step 1+2');
  });

  it('is the given prompt in every part, encoded once', async () => {
    const { engine, backend } = setUp();
    await engine.synthesize({ text, seed: 1, promptAudio: audio, promptText: 'one' });
    expect(backend.audio).toEqual([3, 3, 3, 3, 3]);
    expect(backend.log.filter((entry) => entry === 'encode')).toHaveLength(1);
    expect(backend.log).toContain('step 0+1+2+3');
  });

  it('is the given reference in every part, with the control', async () => {
    const { engine, backend } = setUp({ info: { architecture: 'voxcpm2' } });
    await engine.synthesize({ text, seed: 1, referenceAudio: audio, control: 'low' });
    expect(backend.audio).toEqual([3, 3, 3, 3, 3]);
    expect(backend.log.filter((entry) => entry === 'encode')).toHaveLength(1);
    const textLengths = backend.prefixes.map(({ tokens }) => tokens.length - 3 - 2 - 1);
    expect(textLengths).toEqual(spokenTexts.map((part) => `▁(low)${part}`.length));
  });

  describe('of the beginning', () => {
    const info = { architecture: 'voxcpm2' } as const;
    const request = { text: 'One is the first. Two is the next. Three is a part.', seed: 1, control: 'low' };

    it.each(methods)('is a prompt without its control: %s', async (method) => {
      const { engine, backend } = setUp({ info });
      await collect<SpokenPart | SpeechChunk>(engine[method](request));
      expect(backend.prefixes.map(textOf)).toEqual([
        '(low)One is the first.',
        'One is the first. Two is the next.',
        'One is the first. Three is a part.',
      ]);
      expect(backend.audio).toEqual([0, 5, 5]);
    });

    it.each(methods)('may be a reference, with the control: %s', async (method) => {
      const { engine, backend } = setUp({ info });
      await collect<SpokenPart | SpeechChunk>(engine[method]({ ...request, continueBy: 'reference' }));
      expect(backend.prefixes.map(textOf)).toEqual(spokenTexts.slice(0, 3).map((part) => `(low)${part}`));
      // Five patches between the tokens for the start and the end of a reference, before the text.
      for (const { tokens, audioMask } of backend.prefixes.slice(1)) {
        expect([...tokens.slice(0, 7)]).toEqual([103, 0, 0, 0, 0, 0, 104]);
        expect([...audioMask].flatMap((isAudio, index) => (isAudio ? [index] : []))).toEqual([1, 2, 3, 4, 5]);
      }
    });

    it('grows as a reference until it is long enough', async () => {
      const { engine, backend } = setUp({ info: { ...info, patchSamples: 30 } });
      await collect(engine.stream({ text, seed: 1, continueBy: 'reference' }));
      expect(backend.audio).toEqual([0, 5, 10, 10, 10]);
    });

    it('gives way to the voice of the request', async () => {
      const { engine, backend } = setUp({ info });
      const voice = { promptAudio: audio, promptText: 'one' };
      await engine.synthesize({ text: request.text, seed: 1, ...voice, continueBy: 'reference' });
      expect(backend.prefixes.map(textOf)).toEqual(spokenTexts.slice(0, 3).map((part) => `one${part}`));
    });

    it('cannot be a reference before VoxCPM 2', () => {
      const { engine } = setUp();
      const refusal = /^continuing by reference needs a VoxCPM 2 model/;
      expect(() => engine.stream({ text, continueBy: 'reference' })).toThrow(refusal);
    });
  });

  describe('with a style before the text', () => {
    const styled = { info: { architecture: 'voxcpm2' } } as const;

    it.each([['(low)'], ['(low) '], ['(low)\n\n'], ['（low）']])(
      'repeats it as control in every part with a reference: %j',
      async (style) => {
        const { engine, backend } = setUp(styled);
        const request = { text: style + text, seed: 1, referenceAudio: audio, clean: false };
        const parts = await collect(engine.synthesizeParts(request));
        expect(parts.map((part) => part.text)).toEqual(spokenTexts);
        const added = textLengths(backend).map((length, index) => length - (spokenTexts[index] as string).length);
        // Four more tokens: two around the reference, audio start, and the leading token.
        expect(new Set(added)).toEqual(new Set([4 + '(low)'.length]));
      },
    );

    it('uses it once if all parts continue the first', async () => {
      const { engine, backend } = setUp(styled);
      await engine.synthesize({ text: '(low)One is the first. Two is the next.', seed: 1 });
      expect(backend.prefixes.map(textOf)).toEqual(['(low)One is the first.', 'One is the first. Two is the next.']);
    });

    it('repeats it until a part can be continued', async () => {
      const { engine, backend } = setUp({ ...styled, stopAt: 1e9 });
      await engine.synthesize({ text: `(low)${text}`, seed: 1, maxLength: 6, retryBadcase: false });
      expect(textLengths(backend)).toEqual(spokenTexts.map((part) => `▁(low)${part}`.length + 1));
    });

    it.each([
      ['a model without styles', 'voxcpm', '(low) One is the first.', ['(low)', 'One is the first.']],
      ['a number of a list', 'voxcpm2', '(iv) One is the first.', ['(iv)', 'One is the first.']],
      ['parentheses alone', 'voxcpm2', '(low)', ['(low)']],
    ] as const)('does not change %s', async (_what, architecture, given, expected) => {
      const { engine, backend } = setUp({ info: { architecture, limits } });
      await engine.synthesize({ text: given, seed: 1 });
      // Later parts continue the first.
      const texts = expected.map((_, index) => expected.slice(0, index + 1).join(' '));
      expect(textLengths(backend)).toEqual(texts.map((spoken) => `▁${spoken}`.length + 1));
    });

    it('is not spoken, and is not a text by itself', async () => {
      const { engine, backend } = setUp(styled);
      await engine.synthesize({ text: '(a 5)One.', seed: 1, normalize: true });
      expect(textLengths(backend)).toEqual(['▁(a 5)One.'.length + 1]);
      expect(() => engine.stream({ text: '(low) ...' })).toThrow(/must contain a letter or digit/);
    });
  });
});

describe('bounds', () => {
  const endless = 'One is a part. '.repeat(2_000);
  /** An engine of batches of three that may have this many sessions open at once. */
  const openingAtMost = (count: number) => {
    const open = (): number => set.backend.opened.filter(({ closed }) => !closed).length;
    const set: ReturnType<typeof setUp> = setUp({ onCall: () => expect(open()).toBeLessThanOrEqual(count) }, 3);
    return set;
  };

  it('is at most two batches ahead of the consumer', async () => {
    const { engine, backend } = setUp({}, 3);
    const parts = engine.synthesizeParts({ text: endless, seed: 1, ...prompt })[Symbol.asyncIterator]();
    await parts.next();
    await backend.settled();
    expect(backend.opened.length).toBeLessThanOrEqual(6);
    for (let count = 0; count < 5; count += 1) await parts.next();
    await backend.settled();
    expect(backend.opened.length).toBeLessThanOrEqual(11);
    await parts.return?.();
    expectClosed(backend);
  });

  it('never has more than one batch open', async () => {
    const { engine } = openingAtMost(3);
    const given = { text: 'One is a part. '.repeat(40), seed: 1, ...prompt };
    expect(await collect(engine.synthesizeParts(given))).toHaveLength(40);
  });

  it('opens at most the given number of sessions, with the same samples', async () => {
    const given = { text: 'One is a part. '.repeat(10), seed: 1, ...prompt };
    const expected = samplesOf(await collect(setUp().engine.synthesizeParts(given)));
    const parts = openingAtMost(1).engine.synthesizeParts(given, { partsAtOnce: 1 });
    expect(samplesOf(await collect(parts))).toEqual(expected);
  });

  it('is at most one step ahead of the listener', async () => {
    const { engine, backend } = setUp();
    const chunks = engine.stream({ text: endless, seed: 1, ...prompt })[Symbol.asyncIterator]();
    await chunks.next();
    await backend.settled();
    expect(backend.opened).toHaveLength(1);
    expect(backend.log.filter((entry) => entry.startsWith('step')).length).toBeLessThanOrEqual(3);
    await chunks.return?.();
    expectClosed(backend);
  });
});

describe('early end', () => {
  it.each(methods)('%s: canceled by the signal', async (method) => {
    const controller = new AbortController();
    const { engine, backend } = setUp({
      onCall: ({ kind }) => {
        if (kind === 'step' && backend.calls.length > 20) controller.abort();
      },
    });
    const { signal } = controller;
    const run = collect<SpokenPart | SpeechChunk>(engine[method]({ text, seed: 1, ...prompt }, { signal }));
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    await backend.settled();
    expectClosed(backend);
  });

  it.each(methods)('%s: canceled between two parts', async (method) => {
    const controller = new AbortController();
    const onCall = ({ kind }: { kind: string }): void => {
      if (kind === 'close') controller.abort();
    };
    const { engine, backend } = setUp({ onCall }, 1);
    const { signal } = controller;
    const run = collect<SpokenPart | SpeechChunk>(engine[method]({ text, seed: 1, ...prompt }, { signal }));
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    expectClosed(backend);
  });

  it('closes all parts when one fails', async () => {
    const { engine, backend } = setUp({
      onCall: ({ kind, sessions }) => {
        if (kind === 'open' && sessions.length === 0 && backend.prefixes.length === 2) throw new Error('no room');
      },
    });
    await expect(collect(engine.synthesizeParts({ text, seed: 1, ...prompt }))).rejects.toThrow('no room');
    expectClosed(backend);
  });

  it('stops when the engine is closed', async () => {
    const { engine, backend } = setUp();
    const run = engine.synthesize({ text: `${text} `.repeat(10), seed: 1, ...prompt });
    const outcome = expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    await backend.called(10);
    await engine.close();
    await outcome;
    expectClosed(backend);
    expect(backend.disposed()).toBe(true);
  });

  it('ends when onProgress throws', async () => {
    const { engine, backend } = setUp();
    const onProgress = ({ part }: Progress): void => {
      if (part === 3) throw new Error('enough');
    };
    await expect(engine.synthesize({ text, seed: 1 }, { onProgress })).rejects.toThrow('enough');
    expectClosed(backend);
  });
});

describe('text preparation', () => {
  const textOf = async (request: { text: string; clean?: boolean; normalize?: boolean }) =>
    (await collect(setUp({ info: { limits: {} } }).engine.synthesizeParts(request))).map((part) => part.text);

  it('cleans the text by default', async () => {
    expect(await textOf({ text: '“Hi”…\u200b' })).toEqual(['"Hi"...']);
    expect(await textOf({ text: '“Hi”…\u200b', clean: false })).toEqual(['“Hi”…\u200b']);
  });

  it('verbalizes the text on request', async () => {
    expect(await textOf({ text: '3 cats', normalize: false })).toEqual(['3 cats']);
    // The fake model is one before VoxCPM 2.
    expect(await textOf({ text: '3 cats' })).toEqual(['three cats']);
    expect(await textOf({ text: '３ cats', normalize: true })).toEqual(['three cats']);
    expect(await textOf({ text: '3 cats.\n\n3只猫。', normalize: true })).toEqual(['three cats.', '三只猫。']);
  });

  it('keeps white space of a single part', async () => {
    expect(await textOf({ text: '  one\n two ' })).toEqual(['  one\n two ']);
  });

  it.each(['😀', '...', '\u200b\u200b!'])('refuses text without anything to speak: %j', async (unspeakable) => {
    const { engine, backend } = setUp();
    const message = `text must contain a letter or digit, got ${JSON.stringify(unspeakable)}`;
    const refusal = errorOf('INVALID_REQUEST', message);
    await expect(engine.synthesize({ text: unspeakable })).rejects.toEqual(refusal);
    for (const method of methods) expect(() => engine[method]({ text: unspeakable })).toThrow(refusal);
    expect(backend.log).toEqual([]);
    expect(await engine.synthesize({ text: '...', clean: false })).toMatchObject({ parts: 1 });
  });
});
