import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createEngineFromBackend, type SpeechChunk } from '../../../src/engine/engine.ts';
import { cutLive } from '../../../src/engine/live/cut-live.ts';
import { createTextFeed } from '../../../src/engine/live/text-feed.ts';
import { SvcError } from '../../../src/errors.ts';
import { concatenate } from '../../../src/float-arrays.ts';
import { collect } from '../../support/collect.ts';
import { rounds } from '../../support/rounds.ts';
import { turns } from '../../support/turns.ts';
import { createFakeBackend, type FakeOptions, fakeInfo } from '../fake-backend.ts';

/** A patch is a second, so that one part is long enough for a voice. */
const second = { patchSamples: 100, outputSampleRate: 100, contextLength: 8192 };

function setUp(options: FakeOptions = {}) {
  const backend = createFakeBackend({ stopAt: 4, firstLevel: 1, ...options, info: { ...second, ...options.info } });
  return { backend, engine: createEngineFromBackend(backend, { maxBatch: 2 }) };
}

async function* tokens(text: string, size = 4): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const samplesOf = (chunks: readonly SpeechChunk[]): Float32Array => concatenate(chunks.map(({ samples }) => samples));

/** Texts of the parts, without those of the prompt before them. */
const partsOf = (texts: readonly string[]): string[] =>
  texts.map((text) => (text.startsWith(`${texts[0]} `) ? text.slice((texts[0] ?? '').length + 1) : text));

const text =
  'One is the first. Two is the next, and three is a part. Four is there.\n\nFive begins a paragraph. Six is its end.';

describe('a live text that is all there', () => {
  const longTexts = [text, `${text} `.repeat(20), 'One only.', text.replace(/\n\n/, ' ').repeat(8)];
  let expected: { readonly text: string; readonly parts: readonly string[]; readonly samples: Float32Array }[];
  beforeAll(async () => {
    expected = [];
    for (const long of longTexts) {
      const { engine, backend } = setUp();
      const samples = samplesOf(await collect(engine.stream({ text: long, seed: 1 })));
      expected.push({ text: long, parts: backend.texts, samples });
    }
  });

  it.each(rounds([1, 3, 1000], [1, 2, 3, 5, 7, 1000]))('is spoken like a long text, in tokens of %d', async (size) => {
    for (const { text: long, parts, samples } of expected) {
      const { engine, backend } = setUp();
      const chunks = await collect(engine.stream({ text: tokens(long, size), seed: 1, firstClause: false }));
      expect(backend.texts).toEqual(parts);
      expect(samplesOf(chunks)).toEqual(samples);
      expect(chunks.at(-1)?.end).toBe('stop');
    }
  });

  it.each([
    ['markdown', '# One\n\nTwo is **bold. Very** bold.\n\n```\ncode. Here\n```\n\n1. Three\n2. Four\n'],
    [
      'markdown',
      '---\ntitle: x. Y\n---\n\nOne is here. Two.[^1] Three is [[P|here]].\n\n[^1]: A note. More. Of it.\n\nFour is.\n',
    ],
    ['markdown', 'Do this:\n\n1. One is. It is.\n1. Two is.\n\n1. Three is.\n\nThen:\n\n1. Four is.\n1. Five is.\n'],
    [
      'markdown',
      '<think>No. Not this. Never.</think>\n\n## One\n\nTwo is. <tool_call>{"a": "x. y"}</tool_call>Three is.',
    ],
    ['script', 'One is. [pause:1s] Two is. [voice:ann] Three is.\nBen: Four is.\n\nFive is. [voice:default] Six.'],
  ] as const)('is read as %s', async (inputFormat, script) => {
    const request = { inputFormat, seed: 1, voices: { ann: {}, ben: {} } };
    const expected = setUp();
    await collect(expected.engine.stream({ ...request, text: script }));
    const { engine, backend } = setUp();
    await collect(engine.stream({ ...request, text: tokens(script) }));
    expect(backend.texts).toEqual(expected.backend.texts);
  });

  it.each([1, 3, 7, 1000])('is found to be Markdown by its structure, in tokens of %d', async (size) => {
    const script = '## One\n\nTwo is **bold. Very** bold.\n\n- Three is.\n- Four is.\n\n1. Five\n1. Six\n';
    const { engine, backend } = setUp();
    await collect(engine.stream({ text: tokens(script, size), seed: 1, firstClause: false, normalize: false }));
    expect(partsOf(backend.texts)).toEqual([
      'One',
      'Two is bold. Very bold.',
      'Three is.',
      'Four is.',
      '1. Five',
      '2. Six',
    ]);
  });

  it('lets other work go first before each of its pieces', async () => {
    async function* whole(): AsyncGenerator<string, void, undefined> {
      yield 'a, '.repeat(21_000);
    }
    let turn = 0;
    let next = setImmediate(function count() {
      turn += 1;
      next = setImmediate(count);
    });
    const seen: number[] = [];
    const { signal } = new AbortController();
    const request = { inputFormat: 'plain', firstClause: false } as const;
    for await (const _ of cutLive({ text: whole(), request, info: fakeInfo, signal })) seen.push(turn);
    clearImmediate(next);
    expect(seen.length).toBeGreaterThan(10);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('has the times of its words as they are written', async () => {
    const { engine, backend } = setUp();
    const written = 'It cost 5 dollars on May 5, 2026. Then 7 more came, and 20 stayed.';
    for (const given of [written, tokens(written)]) {
      const request = { text: given as string, seed: 1, normalize: true };
      const chunks = await collect(engine.stream(request, { timestamps: 'words' }));
      const sentences = chunks.flatMap((chunk) => chunk.sentences ?? []);
      expect(sentences.map((sentence) => sentence.text).join(' ')).toBe(written);
      expect(sentences.flatMap(({ words }) => words.map((word) => word.text)).join(' ')).toBe(written);
    }
    expect(backend.texts.join(' ')).not.toMatch(/\d/);
  });

  it('has the times of its words', async () => {
    const { engine } = setUp();
    const { sentences: expected } = await engine.synthesize({ text, seed: 1 }, { timestamps: 'words' });
    for (const given of [text, tokens(text)]) {
      const request = { text: given as string, seed: 1 };
      const sentences = (await collect(engine.stream(request, { timestamps: 'words' }))).flatMap(
        (chunk) => chunk.sentences ?? [],
      );
      expect(sentences).toEqual(expected);
      expect(sentences).toHaveLength(5);
    }
    const fast = await collect(engine.stream({ text: tokens(text), seed: 1, speed: 2 }, { timestamps: 'words' }));
    expect(fast.flatMap(({ sentences = [] }) => sentences).at(-1)?.end).toBeCloseTo(
      (expected?.at(-1)?.end ?? 0) / 2,
      2,
    );
  });
});

describe('a text that is being written', () => {
  it('is spoken from the first clause on, in one voice', async () => {
    const { engine, backend } = setUp();
    const feed = createTextFeed();
    const chunks = engine.stream({ text: feed.text, seed: 1 })[Symbol.asyncIterator]();
    void feed.push('Well, to be honest, I don');
    expect((await chunks.next()).value?.part).toBe(0);
    void feed.push('t know. Nobody ');
    let next = await chunks.next();
    for (; next.value?.part === 0; next = await chunks.next());
    expect(next.value?.part).toBe(1);
    feed.end();
    for (; !next.done; next = await chunks.next());
    expect(partsOf(backend.texts)).toEqual(['Well, to be honest,', 'I dont know.', 'Nobody']);
    // Five patches of the first part are the prompt of the others.
    const positions = backend.prefixes.map(({ audioMask }) => audioMask.filter(Boolean).length);
    expect(positions[0]).toBe(0);
    expect(positions.slice(1).every((count) => count >= 5)).toBe(true);
  });

  it('is spoken when its writer flushes, pauses or stops', async () => {
    const { engine, backend } = setUp();
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const feed = createTextFeed();
      const chunks = collect(engine.stream({ text: feed.text, seed: 1 }));
      const spokenAfter = async (milliseconds: number): Promise<readonly string[]> => {
        await backend.settled();
        jest.advanceTimersByTime(milliseconds);
        await backend.settled();
        return partsOf(backend.texts);
      };
      void feed.push('One is');
      expect(await spokenAfter(0)).toEqual([]);
      feed.flush();
      expect(await spokenAfter(0)).toEqual(['One is']);
      feed.flush();
      feed.flush();
      void feed.push('Two.');
      expect(await spokenAfter(299)).toEqual(['One is']);
      expect(await spokenAfter(1)).toEqual(['One is', 'Two.']);
      void feed.push('Three');
      expect(await spokenAfter(1999)).toEqual(['One is', 'Two.']);
      expect(await spokenAfter(1)).toEqual(['One is', 'Two.', 'Three']);
      void feed.push('Four');
      feed.end();
      await chunks;
      expect(partsOf(backend.texts)).toEqual(['One is', 'Two.', 'Three', 'Four']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('ends with a chunk of what was held back if nothing follows the last part', async () => {
    const { engine, backend } = setUp();
    async function* writer() {
      yield 'One is the first.';
      yield '';
      await backend.called(1);
      await backend.settled();
    }
    const chunks = await collect(engine.stream({ text: writer(), seed: 1 }));
    expect(chunks.map(({ end }) => end)).toEqual([...chunks.slice(1).map(() => undefined), 'stop']);
    expect(chunks.at(-1)?.patch).toHaveLength(0);
    expect(samplesOf(chunks)).toEqual(samplesOf(await collect(engine.stream({ text: 'One is the first.', seed: 1 }))));
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n\n '],
    ['emoji', '🙂 🙂'],
  ])('may have %s to speak', async (_, nothing) => {
    expect(await collect(setUp().engine.stream({ text: tokens(nothing, 1) }))).toEqual([]);
  });

  it('keeps a style and does not take remarks in brackets for one', async () => {
    const { engine, backend } = setUp({ info: { architecture: 'voxcpm2' } });
    const feed = createTextFeed();
    const chunks = collect(engine.stream({ text: feed.text, seed: 1 }));
    for (const piece of ['(calm) One is the first.', '(He laughs.) Two.']) {
      await feed.push(piece);
      feed.flush();
      await backend.settled();
    }
    feed.end();
    await chunks;
    expect(backend.texts[0]).toBe('(calm)One is the first.');
    expect(backend.texts[1]).toContain('(He laughs.) Two.');
  });

  it('leaves out wrong tags, with a warning', async () => {
    const { engine, backend } = setUp();
    const stream = engine.stream({ text: tokens('[voice:eve] One is. [pause:long] Two.'), voices: { ann: {} } });
    await collect(stream);
    expect(backend.texts).toEqual(['One is. Two.']);
    expect(stream.warnings).toEqual([
      expect.stringContaining('[voice:eve] is left out: unknown voice "eve"'),
      expect.stringContaining('[pause:long] is left out: invalid pause "long"'),
    ]);
  });

  it('warns once of letters that the model cannot read', async () => {
    const { engine } = setUp();
    const stream = engine.stream({ text: tokens('Ж is one.\n\nЩ is two.\n\nThree.', 5), seed: 1 });
    await collect(stream);
    expect(stream.warnings).toEqual([expect.stringContaining('cannot read')]);
  });

  it.each<[object, RegExp]>([
    [{ inputFormat: 'ssml' }, /^inputFormat must be one of auto, plain, markdown, script, got "ssml"$/],
    [{ inputFormat: 'turns' }, /^inputFormat must be one of/],
    [{ split: false }, /^live text is always split; leave out split$/],
    [{ speed: 9 }, /^speed must be/],
    [{ cfg: -1 }, /^cfg must be/],
    [{ continueBy: 'reference' }, /^continuing by reference needs a VoxCPM 2 model/],
  ])('refuses %j before anything is read', (fields, message) => {
    const { engine } = setUp();
    const reads: string[] = [];
    async function* writer() {
      reads.push('read');
      yield 'One.';
    }
    for (const use of ['stream', 'check'] as const)
      expect(() => engine[use]({ text: writer(), ...fields })).toThrow(message);
    expect(reads).toEqual([]);
    expect(engine.check({ text: writer() })).toBe('speech');
  });

  it.each<[string, AsyncIterable<string>, RegExp]>([
    ['SSML', tokens('<speak>One.</speak>'), /^live text cannot be SSML/],
    ['no strings', tokens(5 as never, 1), /./],
  ])('rejects for %s', async (name, given, message) => {
    async function* numbers() {
      yield 5 as unknown as string;
    }
    const source = name === 'SSML' ? given : numbers();
    const expected = name === 'SSML' ? message : /^the pieces of text must be strings, got 5$/;
    await expect(collect(setUp().engine.stream({ text: source }))).rejects.toThrow(expected);
  });
});

describe('the writer', () => {
  it('may fail, which rejects the stream', async () => {
    const { engine, backend } = setUp();
    async function* writer() {
      yield 'One is the first. Two is ';
      await backend.called(1);
      await backend.settled();
      throw new Error('the model is gone');
    }
    await expect(collect(engine.stream({ text: writer() }))).rejects.toThrow('the model is gone');
    expect(backend.opened.every(({ closed }) => closed)).toBe(true);
  });

  it.each(['canceled', 'left', 'closed'])('is told when the speech is %s', async (how) => {
    const { engine, backend } = setUp({ stopAt: 1e9, delayMilliseconds: 2 });
    let ended = 0;
    const controller = new AbortController();
    const never: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => {
        let reads = 0;
        return {
          next: () => (reads++ === 0 ? Promise.resolve({ value: 'One is the first. Two is ' }) : new Promise(() => {})),
          async return() {
            ended += 1;
            return { done: true, value: undefined };
          },
        };
      },
    };
    const speak = async () => {
      for await (const { index } of engine.stream({ text: never }, { signal: controller.signal })) {
        if (index < 2) continue;
        if (how === 'left') break;
        if (how === 'canceled') controller.abort();
        else void engine.close();
      }
    };
    if (how === 'left') await speak();
    else await expect(speak()).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(ended).toBe(1);
    expect(backend.opened.every(({ closed }) => closed)).toBe(true);
  });

  it('is left while it writes nothing', async () => {
    const { engine, backend } = setUp();
    const feed = createTextFeed();
    const controller = new AbortController();
    const chunks = collect(engine.stream({ text: feed.text }, { signal: controller.signal }));
    await backend.settled();
    controller.abort();
    await expect(chunks).rejects.toBeInstanceOf(SvcError);
    expect(await feed.push('more')).toBe(false);
  });

  it('is not read before the first pull, and only so far ahead', async () => {
    const { engine } = setUp({ stopAt: 1 });
    let written = 0;
    async function* endless() {
      for (;;) {
        written += 20;
        yield 'And so on and on it ';
      }
    }
    const stream = engine.stream({ text: endless() });
    await turns();
    expect(written).toBe(0);
    for await (const { part } of stream) {
      expect(written).toBeLessThan(65_536 + part * 300 + 10_000);
      if (part > 10) break;
    }
    expect(written).toBeGreaterThan(60_000);
  });

  it.each<[string, () => AsyncIterable<string>]>([
    ['flushes', () => repeat('')],
    ['open brackets', () => repeat('[[[[[[[[')],
    ['white space', () => repeat(' \n\n ')],
    ['emoji', () => repeat('🙂')],
  ])('may write nothing but %s for ever', async (_, writer) => {
    const controller = new AbortController();
    void turns().then(() => controller.abort());
    const { engine } = setUp();
    await expect(collect(engine.stream({ text: writer() }, { signal: controller.signal }))).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  async function* repeat(piece: string): AsyncGenerator<string, void, undefined> {
    for (;;) yield piece;
  }
});

describe('createTextFeed', () => {
  it('lets a writer wait that is far ahead', async () => {
    const feed = createTextFeed();
    const pushed = feed.push('x'.repeat(70_000));
    expect(await Promise.race([pushed, turns()])).toBeUndefined();
    const reader = feed.text[Symbol.asyncIterator]();
    expect((await reader.next()).value).toHaveLength(70_000);
    expect(await pushed).toBe(true);
  });

  it('has a longest text', async () => {
    const feed = createTextFeed({ maxCharacters: 10 });
    expect(await feed.push('0123456789')).toBe(true);
    await expect(feed.push('x')).rejects.toThrow('text is longer than 10 characters');
  });

  it('passes on what was pushed before its end, and an error at once', async () => {
    const feed = createTextFeed();
    await feed.push('one');
    feed.flush();
    feed.flush();
    feed.end();
    expect(await feed.push('two')).toBe(false);
    expect(await collect(feed.text)).toEqual(['one', '']);
    const failing = createTextFeed();
    const reading = collect(failing.text);
    await failing.push('one');
    failing.fail(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
  });
});
