/** `previewText` shows what a model gets. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import type { Backend } from '../../../src/engine/backend.ts';
import { openNativeBackend } from '../../../src/engine/backends/native/native.ts';
import { createEngineFromBackend, type Engine } from '../../../src/engine/engine.ts';
import { openTextReader } from '../../../src/engine/open-engine.ts';
import { parseRequestText } from '../../../src/engine/parsed-request.ts';
import { parseRequest } from '../../../src/engine/request.ts';
import { createTokenizer, type Tokenizer } from '../../../src/engine/text/tokenizer.ts';
import { writtenPartsSteps } from '../../../src/engine/text/written-text.ts';
import { atOnce, inTurns } from '../../../src/event-loop.ts';
import { createFakeBackend } from '../fake-backend.ts';

let engine: Engine;
let tokenizer: Tokenizer;
/** Prefixes of the utterances so far. */
const prefixes: number[][] = [];

beforeAll(async () => {
  const backend = await openNativeBackend(join('models', 'demo.gguf'), { backend: 'cpu', threads: 1 });
  tokenizer = createTokenizer((key) => backend.metadata(key));
  const observed: Backend = new Proxy(backend, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'open') return typeof value === 'function' ? value.bind(target) : value;
      return (...given: Parameters<Backend['open']>) => {
        prefixes.push([...given[0].tokens]);
        return target.open(...given);
      };
    },
  });
  engine = createEngineFromBackend(observed, { maxBatch: 1 });
});
afterAll(() => engine.close());

const shortest = { minLength: 0, maxLength: 1, timesteps: 1, retryBadcase: false, seed: 1 } as const;
const text = [
  '# Prices',
  'It costs **$5** 😀 [today](https://example.org), “no” GIF.[1]',
  '<!-- nothing -->',
  'Kaffee 3,50 € und ein Brot um 14:30 Uhr, bitte.',
  '- 12:30',
  '```js\ncode();\n```',
  `${'The train leaves at 9:05, and we have 12 minutes. '.repeat(8)}`,
].join('\n\n');

it('needs no weights of the model', async () => {
  const reader = await openTextReader({ modelPath: join('models', 'demo.gguf') });
  const parsed = await inTurns(parseRequestText(parseRequest({ text })));
  const preview = await inTurns(reader.preview(await inTurns(reader.accept(parsed)), text));
  expect(preview).toEqual(await engine.previewText({ text }));
  const { name, architecture, contextLength, limits } = engine.info;
  expect(reader.info).toEqual({ ...{ name, architecture, contextLength, limits }, name: 'demo' });
});

it('shows each text that the tokenizer of a model gets', async () => {
  const promptAudio = await readAudioFile(join('models', 'voices', 'iris.wav'));
  const request = { text, promptAudio, promptText: 'One. ', lexicon: [{ written: 'GIF', spoken: 'jif' }], ...shortest };
  const { passages, normalize, warnings } = await engine.previewText(request);
  await engine.synthesize(request);
  const shown = passages.map(({ spoken }) => tokenizer.encode(`One. ${spoken}`));
  expect(shown.length).toBeGreaterThan(5);
  expect(prefixes.map((tokens, index) => tokens.slice(0, shown[index]?.length))).toEqual(shown.map((ids) => [...ids]));
  expect(normalize).toBe(true);
  expect(warnings).toEqual([expect.stringMatching(/cannot read "üß"/)]);
  expect(passages.slice(0, 4)).toMatchObject([
    { language: 'en', languageBy: 'neighbours', written: '# Prices', spoken: 'Prices', leftOut: ['#'] },
    {
      spoken: 'It costs five dollars today, "no" jif.',
      leftOut: ['**', '** 😀 [', '](https://example.org)', '[1]\n\n<!-- nothing -->'],
    },
    { language: 'de', languageBy: 'detected', spoken: expect.stringContaining('vierzehn Uhr'), unreadable: ['ü', 'ß'] },
    {
      language: 'de',
      languageBy: 'neighbours',
      written: '- 12:30\n\n```js\ncode();\n```',
      spoken: 'zwölf Uhr dreißig',
    },
  ]);
});

const languageOf = async (fields: object): Promise<readonly unknown[]> => {
  const { passages } = await engine.previewText({ text: '5', ...fields });
  return passages.map(({ language, languageBy, spoken }) => [language, languageBy, spoken]);
};

it('tells how a language was found', async () => {
  const ssml = '<speak><p xml:lang="fr">5</p><p>5</p></speak>';
  expect(await languageOf({})).toEqual([['en', 'model', 'five']]);
  expect(await languageOf({ documentLanguage: 'es' })).toEqual([['es', 'document', 'cinco']]);
  expect(await languageOf({ voiceLanguage: 'de-AT', documentLanguage: 'es' })).toEqual([['de', 'voice', 'fünf']]);
  expect(await languageOf({ voiceLanguage: 'de', language: 'it' })).toEqual([['it', 'stated', 'cinque']]);
  expect(await languageOf({ voiceLanguage: 'de', language: 'auto' })).toEqual([['de', 'voice', 'fünf']]);
  expect(await languageOf({ voiceLanguage: 'de', normalize: false })).toEqual([[undefined, 'none', '5']]);
  expect(
    await languageOf({ voiceLanguage: 'de', text: 'It is 5 o’clock. We have 2 cats and the train is late.' }),
  ).toEqual([['de', 'voice', expect.stringMatching(/fünf .* zwei/)]]);
  const voices = { Anna: { voiceLanguage: 'sv' }, Ben: {} };
  const dialogue = { text: 'Anna: 5\nBen: 5', inputFormat: 'script', voices, voiceLanguage: 'de' };
  expect(await languageOf(dialogue)).toEqual([
    ['sv', 'voice', 'fem'],
    ['en', 'model', 'five'],
  ]);
  expect((await languageOf({ text: ssml, voiceLanguage: 'de' })).length).toBeGreaterThan(0);
});

it('shows a style beside the text', async () => {
  await using fake = createEngineFromBackend(createFakeBackend({ info: { architecture: 'voxcpm2' } }), { maxBatch: 1 });
  const { passages } = await fake.previewText({ text: '(calm) One.\n\nTwo.', inputFormat: 'plain' });
  expect(passages).toMatchObject([
    { written: '(calm) One.', spoken: 'One.', style: expect.stringContaining('calm'), leftOut: [] },
    { written: 'Two.', spoken: 'Two.', leftOut: [] },
  ]);
});

it.each([
  ['one word', 'ha <b>ho</b> ', 'ha ho '],
  ['a sign', '😀 ', 'a '],
  ['another order', 'a b c d e ', 'e d c b a '],
])('finds the parts of a text that repeats %s in steps', (_, written, spoken) => {
  const parts = atOnce(writtenPartsSteps(written.repeat(5000), [spoken.repeat(2000), spoken.repeat(3000)]));
  expect(
    parts
      .map((part) => part.written)
      .join(' ')
      .replace(/\s+/g, '').length,
  ).toBeGreaterThanOrEqual(written.repeat(5000).replace(/\s+/g, '').length);
});
