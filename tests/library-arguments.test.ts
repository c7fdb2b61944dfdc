/** Arguments of any type, as programs in JavaScript pass them: each is an SvcError that names the argument. */
import { describe, expect, it } from '@jest/globals';
import { createEngineFromBackend } from '../src/engine/engine.ts';
import { parseRequestText } from '../src/engine/parsed-request.ts';
import { parseRequest } from '../src/engine/request.ts';
import { atOnce } from '../src/event-loop.ts';
import {
  addVoice,
  castChapters,
  chooseChapters,
  createAudioStream,
  createTextFeed,
  decodeAudio,
  dubCaptions,
  findVoice,
  formatOfPath,
  loadVoice,
  openSqliteVoiceStore,
  parseChapterNumbers,
  readAudioFile,
  SvcError,
  suggestCast,
} from '../src/index.ts';
import { createFakeBackend } from './engine/fake-backend.ts';

const anything: readonly unknown[] = [undefined, null, 5, 'text', true, [], [null], [5], {}, () => 5, Symbol('s'), 5n];
const engine = createEngineFromBackend(createFakeBackend({ stopAt: 4 }), { maxBatch: 1 });
const read = atOnce(parseRequestText(parseRequest({ text: 'Hello.' })));
const chapters = [{ title: 'One', segments: [{ kind: 'text', text: '“Hi,” said Ann.' }] }];
const listed = [{ number: 1 }];
const sound = { samples: new Float32Array(100).fill(0.1), sampleRate: 16_000, channels: 1 } as const;
const sink = { write: async () => undefined };

const last = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
};

const calls: Readonly<Record<string, (...given: never[]) => unknown>> = {
  'suggestCast(x, voices)': (x) => suggestCast(x, ['a']),
  'suggestCast(chapters, x)': (x) => suggestCast(chapters as never, x),
  'castChapters(x, {})': (x) => castChapters(x, {}),
  'castChapters(chapters, x)': (x) => castChapters(chapters as never, x, 'cast.yaml'),
  'parseChapterNumbers(x)': (x) => parseChapterNumbers(x),
  'chooseChapters(x, {})': (x) => chooseChapters(x, {}),
  'chooseChapters(list, x)': (x) => chooseChapters(listed, x),
  'chooseChapters(list, { chapters: x })': (x) => chooseChapters(listed, { chapters: x }),
  'formatOfPath(x)': (x) => formatOfPath(x),
  'dubCaptions(x, …)': (x) => dubCaptions(x, { captions: '' }, sink),
  'dubCaptions(engine, x, …)': (x) => dubCaptions(engine, x, sink),
  'dubCaptions(engine, { captions: x }, …)': (x) => dubCaptions(engine, { captions: x }, sink),
  'dubCaptions(…, x)': (x) => dubCaptions(engine, { captions: 'WEBVTT' }, x),
  'dubCaptions(…, sink, x)': (x) => dubCaptions(engine, { captions: 'WEBVTT' }, sink, x),
  'dubCaptions(…, sink, { tries: x })': (x) => dubCaptions(engine, { captions: 'WEBVTT' }, sink, { tries: x }),
  'decodeAudio(x)': (x) => decodeAudio(x),
  'decodeAudio(bytes, x)': (x) => decodeAudio(new Uint8Array(4), x),
  'decodeAudio(bytes, { signal: x })': (x) => decodeAudio(new Uint8Array(4), { signal: x }),
  'readAudioFile(path, x)': (x) => readAudioFile('missing.wav', x),
  'createTextFeed(x)': (x) => createTextFeed(x),
  'createTextFeed({ maxCharacters: x })': (x) => createTextFeed({ maxCharacters: x }),
  'createAudioStream(x, x)': (x) => createAudioStream(x, x),
  'openSqliteVoiceStore(x)': (x) => openSqliteVoiceStore((x === 'text' ? '' : x) as never),
  'findVoice(x, name)': (x) => findVoice(x, 'anna'),
  'loadVoice(engine, x, name)': (x) => loadVoice(engine, x, 'anna'),
  'addVoice(x, store, …)': (x) => addVoice(x, { get: sink.write } as never, { id: 'anna', audio: sound }),
  'addVoice(engine, x, …)': (x) => addVoice(engine, x, { id: 'anna', audio: sound }),
  'engine.accept(x)': (x) => engine.accept(x).next(),
  'engine.accept(request, x)': (x) => engine.accept(read, x).next(),
  'engine.speak(x)': (x) => last(engine.speak(x)),
  'engine.speak(speech, x)': (x) => last(engine.speak({ seed: 1, warnings: [], passages: [] } as never, x)),
};

describe.each(Object.entries(calls))('%s', (_name, call) => {
  it('answers or throws an SvcError, whatever x is', async () => {
    for (const given of anything) {
      const error = await (async () => call(given as never))().catch((thrown: unknown) => thrown);
      if (error instanceof Error) expect(error).toBeInstanceOf(SvcError);
      if (error instanceof SvcError) expect(error.message).not.toMatch(/undefined|is not (?:a function|iterable)/);
    }
  });
});

it('a recording to trim is checked for its sample rate first', async () => {
  for (const sampleRate of [0.5, 1e-9, 1e12]) {
    const promptAudio = { samples: new Float32Array(100).fill(0.1), sampleRate, channels: 1 };
    const speaking = engine.synthesize({ text: 'Hi.', promptAudio, promptText: 'x', trimSilence: true });
    await expect(speaking).rejects.toMatchObject({ code: 'UNSUPPORTED_AUDIO' });
  }
});
