import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { MetadataValue } from '../../../src/engine/backend.ts';
import { normalizeText } from '../../../src/engine/text/normalize.ts';
import { createTokenizer, type Tokenizer } from '../../../src/engine/text/tokenizer.ts';
import { readGolden } from '../../support/golden.ts';
import { countedCopy, growthOf } from '../../support/work.ts';

const counted =
  await countedCopy<typeof import('../../../src/engine/text/tokenizer.ts')>('src/engine/text/tokenizer.ts');

interface TokenizerFile {
  readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
  readonly model: { readonly vocab: Readonly<Record<string, number>>; readonly merges: readonly string[] };
}

const fixtures = join(import.meta.dirname, '../../fixtures');
const readTokenizerFile = (name: string): TokenizerFile =>
  JSON.parse(readFileSync(join(fixtures, name, 'checkpoint/tokenizer.json'), 'utf8'));

const fromEntries = (entries: Readonly<Record<string, MetadataValue>>): Tokenizer =>
  createTokenizer((key) => entries[key]);

const fromFile = (file: unknown): Tokenizer => fromEntries({ 'tokenizer.huggingface.json': JSON.stringify(file) });

/** The arrays written by VoxCPM.cpp's converter. */
function ggmlEntries({ model, added_tokens }: TokenizerFile) {
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  for (const { id, content } of added_tokens) tokens[id] = content;
  const control = new Set(added_tokens.map(({ id }) => id));
  return {
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.merges': model.merges,
    'tokenizer.ggml.token_type': tokens.map((_, id) => (control.has(id) ? 3 : 1)),
    'tokenizer.ggml.unknown_token_id': 0,
  };
}

const withPairs = ({ model, ...file }: TokenizerFile) => ({
  ...file,
  model: { ...model, merges: model.merges.map((merge) => merge.split(' ')) },
});

const constructions = ['tiny-v1', 'tiny-v15', 'tiny-v2'].flatMap((name) => {
  const file = readTokenizerFile(name);
  const { 'tokenizer.ggml.unknown_token_id': _, ...withoutUnknown } = ggmlEntries(file);
  return [
    { name, way: 'tokenizer.json', tokenizer: fromFile(file) },
    { name, way: 'tokenizer.json with merges as pairs', tokenizer: fromFile(withPairs(file)) },
    { name, way: 'tokenizer.ggml arrays', tokenizer: fromEntries(ggmlEntries(file)) },
    { name, way: 'tokenizer.ggml arrays without unknown_token_id', tokenizer: fromEntries(withoutUnknown) },
  ];
});

/** A trivial vocabulary of characters and bytes. */
const charactersOnly = {
  added_tokens: [{ id: 0, content: '<unk>' }],
  model: {
    vocab: { '<unk>': 0, '▁': 1, a: 2, b: 3, ab: 4, '<0xC3>': 5, '<0xA9>': 6, 你: 7, 你好: 8 },
    merges: [],
  },
};

describe.each(constructions)('createTokenizer of $name from $way', ({ name, tokenizer }) => {
  const { tokenizer: cases, runs } = readGolden(join(fixtures, name));

  it('returns the official ids of every text', () => {
    for (const { text, ids } of cases) expect([text, ...tokenizer.encode(text)]).toEqual([text, ...ids]);
  });

  it('returns the official ids of every normalized text', () => {
    for (const { text, core_text, core_ids } of cases) {
      if (core_text !== null)
        expect([text, ...tokenizer.encode(normalizeText(text))]).toEqual([text, ...(core_ids ?? [])]);
    }
  });

  it('returns the official ids of every run, with prompt and target as one string', () => {
    for (const { prompt_text, text, text_token } of Object.values(runs)) {
      const ids = [...tokenizer.encode((prompt_text ?? '') + text), 101];
      const start = text_token.indexOf(104) + 1;
      expect(text_token.slice(start, start + ids.length)).toEqual(ids);
    }
  });
});

/** Its work is counted. */
const countedTokenizer = counted.createTokenizer((key) =>
  key === 'tokenizer.huggingface.json' ? JSON.stringify(readTokenizerFile('tiny-v2')) : undefined,
);

describe('encode', () => {
  it.each(['x', 'he', '今天', '语音合成是人工智能的重要技术', '😀', '龘', ' ', '\ud800'])(
    'takes linear time for %j',
    async (piece) => {
      const encode = (length: number) => countedTokenizer.encode(piece.repeat(length / piece.length));
      expect(await growthOf(encode, 1_000, 4_000)).toBeLessThan(5);
    },
  );

  it('works without merges, with characters, bytes and the unknown token', () => {
    const simple = fromFile(charactersOnly);
    expect([...simple.encode('ab é')]).toEqual([1, 2, 3, 1, 5, 6]);
    expect([...simple.encode('ñññ')]).toEqual([1, 0]);
    const { 'tokenizer.ggml.merges': _, ...entries } = ggmlEntries(charactersOnly);
    expect([...fromEntries(entries).encode('ab é')]).toEqual([1, 2, 3, 1, 5, 6]);
  });

  it('splits several Han characters even when one has no token', () => {
    const { model, added_tokens } = charactersOnly;
    const merged = fromFile({ added_tokens, model: { ...model, merges: ['你 好'] } });
    expect([...merged.encode('a你好')]).toEqual([1, 2, 7, 0]);
  });
});

describe('startsOf', () => {
  const simple = fromFile(charactersOnly);

  it.each([
    ['ab é', [0, 0, 1, 3, 3, 3]],
    [' a', [1, 1]],
    ['aéb', [0, 0, 1, 1, 2]],
    ['ñññ', [0, 0]],
    ['a你b', [0, 0, 1, 2]],
  ])('of %j is %j', (text, starts) => {
    expect([...simple.startsOf(text)]).toEqual(starts);
    expect(simple.encode(text)).toHaveLength(starts.length);
  });

  it.each(['tiny-v1', 'tiny-v2'])('finds the text of every token of %s', (name) => {
    const tokenizer = fromFile(readTokenizerFile(name));
    for (const { text } of readGolden(join(fixtures, name)).tokenizer) {
      const starts = [...tokenizer.startsOf(text)];
      expect(starts).toHaveLength(tokenizer.encode(text).length);
      expect(starts).toEqual([...starts].sort((one, other) => one - other));
      expect(starts.every((start) => start <= text.length)).toBe(true);
    }
  });

  it.each(['he', '今天', '😀', ' ', '\ud800'])('takes linear time for %j', async (piece) => {
    const starts = (length: number) => countedTokenizer.startsOf(piece.repeat(length / piece.length));
    expect(await growthOf(starts, 1_000, 4_000)).toBeLessThan(5);
  });
});

describe('a model without a usable tokenizer', () => {
  const { model } = charactersOnly;
  const json = (value: unknown) => ({ 'tokenizer.huggingface.json': JSON.stringify(value) });

  it.each<[string, Record<string, MetadataValue>]>([
    ['no metadata', {}],
    ['JSON of another type', { 'tokenizer.huggingface.json': 7 }],
    ['broken JSON', { 'tokenizer.huggingface.json': '{"model":' }],
    ['no model', json({})],
    ['a unigram model', json({ model: { type: 'Unigram', vocab: [['a', -1]] } })],
    ['ids that are no numbers', json({ model: { ...model, vocab: { a: 'x' } } })],
    ['a negative id', json({ model: { ...model, vocab: { '<unk>': -1 } } })],
    ['a merge of one token', json({ model: { ...model, merges: ['ab'] } })],
    ['a merge of three tokens', json({ model: { ...model, merges: ['a b c'] } })],
    ['no unknown token', json({ model: { vocab: { a: 1 }, merges: [] } })],
    ['an unknown token that is not there', json({ model: { ...model, unk_token: '[UNK]' } })],
    ['no tokens', { 'tokenizer.ggml.tokens': [] }],
    ['tokens that are numbers', { 'tokenizer.ggml.tokens': [1, 2] }],
    ['merges that are numbers', { 'tokenizer.ggml.tokens': ['<unk>'], 'tokenizer.ggml.merges': [1] }],
    ['a type that is no list', { 'tokenizer.ggml.tokens': ['<unk>'], 'tokenizer.ggml.token_type': 3 }],
    ['an unknown id out of range', { 'tokenizer.ggml.tokens': ['a'], 'tokenizer.ggml.unknown_token_id': 9 }],
  ])('is invalid with %s', (_, entries) => {
    const attempt = (): Tokenizer => fromEntries(entries);
    expect(attempt).toThrow(expect.objectContaining({ code: 'MODEL_INVALID' }));
    expect(attempt).toThrow(/^invalid tokenizer of the model: [^\n]+$/);
  });
});
