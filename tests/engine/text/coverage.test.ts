import { describe, expect, it } from '@jest/globals';
import '../../support/verbalize.ts';
import { createCoverage } from '../../../src/engine/text/coverage.ts';
import { createTokenizer, type Tokenizer } from '../../../src/engine/text/tokenizer.ts';
import { atOnce, inTurns } from '../../../src/event-loop.ts';
import { countedCopy, growthOf } from '../../support/work.ts';

const counted = await countedCopy<typeof import('../../../src/engine/text/coverage.ts')>('src/engine/text/coverage.ts');

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,';

/** A token a character, and one a byte where it has them. */
function tokenizerOf(characters: string, bytes: 'with bytes' | 'without bytes'): Tokenizer {
  const byteTokens = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  );
  const tokens = ['<unk>', '▁', ...(bytes === 'with bytes' ? byteTokens : []), ...characters];
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const json = JSON.stringify({ model: { vocab, merges: [], unk_token: '<unk>' } });
  return createTokenizer((key) => (key === 'tokenizer.huggingface.json' ? json : undefined));
}

const digitless = tokenizerOf(letters.replace(/\d/g, ''), 'with bytes');
const english = tokenizerOf(letters, 'with bytes');
const both = tokenizerOf(`${letters}你好世界`, 'with bytes');
const model = (languages?: readonly string[], architecture: 'voxcpm' | 'voxcpm2' = 'voxcpm') => ({
  architecture,
  limits: languages === undefined ? {} : { languages },
});

describe('tokensOf', () => {
  it('tells tokens from bytes and from none', () => {
    expect(['a', 'é', '你'].map(english.tokensOf)).toEqual(['own', 'bytes', 'bytes']);
    expect(['a', '你'].map(tokenizerOf(letters, 'without bytes').tokensOf)).toEqual(['own', 'unknown']);
  });
});

describe('createCoverage', () => {
  it.each([
    ['Hello, world 42! “Quoted” — and emoji 🙂 + 1 = 2.', english, model(), undefined],
    ['你好', english, model(), '"你好" of the text;'],
    ['你好，Anna. 你好！', english, model(['en']), '"你好" of the text (it speaks English);'],
    ['Gate 17b', digitless, model(), "this model can't read digits; add --normalize"],
    ['5 € & é', digitless, model(), 'read "€&é" and the digits of the text; '],
    ['café', english, model(['en']), '"é" of the text (it speaks English);'],
    // There are tokens, and the card says that they are not trained.
    ['你好', both, model(['en']), '"你好" of the text (it speaks English);'],
    ['你好 Anna', both, model(['zh', 'en']), undefined],
    ['你好', both, model(), undefined],
    ['Привет, мир', both, model(['zh', 'en']), '"Приветм" of the text (it speaks Chinese, English);'],
    ['一二三四五六七八九十', english, model(), 'Han characters such as "一二三四五六七八" of the text;'],
    ['一二三四五六七八九ΑΒ', english, model(), 'read Han and Greek characters such as "一二三四五六七八" of the text;'],
    ['½¼¾①②③④⑤⑥', digitless, model(), 'read signs such as "½¼¾①②③④⑤" of the text; '],
    // VoxCPM 2 reads languages whose letters have no tokens.
    ['မင်္ဂလာပါ', english, model(undefined, 'voxcpm2'), undefined],
    ['こんにちは', english, model(['ja']), undefined],
    ['ბარი', english, model(undefined, 'voxcpm2'), 'of the text;'],
    ['مرحبا', tokenizerOf(letters, 'without bytes'), model(undefined, 'voxcpm2'), 'of the text;'],
  ] as const)('%s', (text, tokenizer, info, expected) => {
    const warning = atOnce(createCoverage(tokenizer, info)(text, { normalize: false }));
    if (expected === undefined) expect(warning).toBeUndefined();
    else expect(warning).toContain(expected);
  });

  it('expects no digits in a text that is to be normalized', async () => {
    expect(await inTurns(createCoverage(digitless, model())('Gate 7, 5 %', { normalize: true }))).toBeUndefined();
  });

  it.each([
    ['The rate is ½, mail me@example.com about #5.', undefined],
    ['Pay 5 € & go.', undefined],
    ['Here: € 5 ឡ', '"ឡ" of the text;'],
    [`${'word '.repeat(2_100)}½ ឡ`, '"ឡ" of the text;'],
  ])('judges what normalization leaves of %s', (text, expected) => {
    const warning = atOnce(createCoverage(digitless, model())(text, { normalize: true }));
    if (expected === undefined) expect(warning).toBeUndefined();
    else expect(warning).toContain(expected);
    expect(warning ?? '').not.toContain('--normalize');
  });

  it('takes linear time for long texts', async () => {
    const check = counted.createCoverage(english, model(['en']));
    const textOf = (count: number): string => '你好, and then some more words. '.repeat(count);
    expect(await growthOf((count) => inTurns(check(textOf(count), { normalize: false })), 100, 400)).toBeLessThan(4.3);
  });
});
