/** How often a request is read on its way to the model. */
import { afterEach, expect, it, jest } from '@jest/globals';
import MarkdownIt from 'markdown-it';
import { SaxesParser } from 'saxes';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { parseRequest, type SynthesisRequest } from '../../src/engine/request.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { freshServer } from './test-server.ts';

const server = freshServer();

afterEach(() => void jest.restoreAllMocks());

/** A letter that occurs once in a text: a lexicon folds each letter once whenever it runs. */
const rare = 'Ꙗ';

/** Counts runs of a lexicon over a text with one `rare` letter. */
function countLexiconRuns(): () => number {
  const fold = String.prototype.toLowerCase;
  let runs = 0;
  jest.spyOn(String.prototype, 'toLowerCase').mockImplementation(function folding(this: string) {
    if (this === rare && /lexicon[/\\]lexicon\./.test(new Error('here').stack ?? '')) runs += 1;
    return fold.call(this);
  });
  return () => runs;
}

it.each([
  ['parts', { timestamps: 'word', stream_format: 'json' }],
  ['patches', {}],
] as const)('reads SSML and its lexicon once for a request over HTTP in %s', async (_, fields) => {
  const parse = jest.spyOn(SaxesParser.prototype, 'write');
  const runs = countLexiconRuns();
  const input = `<speak>One gif ${rare}. <voice name="default">Two.</voice></speak>`;
  await server.hear({ input, voice: 'default', lexicon: { gif: 'jif' }, ...fields });
  const ends = parse.mock.calls.filter(([piece]) => piece === null);
  expect([ends.length, runs()]).toEqual([1, 1]);
  expect(server.backend.texts.join(' ')).toContain('jif');
});

it('reads each turn of a dialogue over HTTP once', async () => {
  const parse = jest.spyOn(MarkdownIt.prototype, 'parse');
  const stringify = jest.spyOn(JSON, 'parse');
  const input = ['One', 'Two'].map((text) => ({ text: `**${text}** is.`, format: 'markdown' }));
  await server.hear({ input });
  expect(parse).toHaveBeenCalledTimes(2);
  // The body itself is the only text of turns that is parsed.
  expect(stringify.mock.calls.filter(([text]) => String(text).includes('is.')).length).toBe(1);
});

it('validates a request of the library once', async () => {
  let reads = 0;
  const request: SynthesisRequest = {
    text: 'Hello there.',
    get cfg() {
      reads += 1;
      return 2;
    },
  };
  parseRequest(request);
  const once = reads;
  await using engine = createEngineFromBackend(createFakeBackend({ stopAt: 4 }), { maxBatch: 1 });
  for (const speak of [engine.synthesize, engine.synthesizeParts, engine.stream, engine.check] as const) {
    reads = 0;
    await speak(request);
    expect(reads).toBe(once);
  }
});
