import { describe, expect, it } from '@jest/globals';
import { type LexiconEntry, lexiconSteps, overlayLexicon } from '../../../src/engine/lexicon/lexicon.ts';
import { parseLexicon } from '../../../src/engine/lexicon/parse-lexicon.ts';
import { parseRequest } from '../../../src/engine/request.ts';
import { atOnce } from '../../../src/event-loop.ts';
import { countedCopy, growthOf } from '../../support/work.ts';
import { cases } from '../cases.ts';

type Lexicon = typeof import('../../../src/engine/lexicon/lexicon.ts');
const counted = await countedCopy<Lexicon>('src/engine/lexicon/lexicon.ts');

const words = `gif = jif
US = U S
New York = Noo Yark
new = gnu
svc = S V C
C++ = see plus plus
重庆 = {chong2}庆
行 = 航
Ångström = ongstrum
"a = b" = equals`;
const { entries } = parseLexicon(words, 'words.txt');
const speakBy = (lexicon: readonly LexiconEntry[], text: string): string => atOnce(lexiconSteps(lexicon)(text));

describe('a lexicon', () => {
  it.each(cases('lexicon'))('says $given as $expected', ({ given, expected }) =>
    expect(speakBy(entries, given)).toBe(expected),
  );

  it('takes the later of two entries, and an exact one before one in any case', () => {
    expect(speakBy(parseLexicon('a = b\na = c\nA = d', 'x').entries, 'a A')).toBe('c d');
  });

  it.each([
    ['words that begin alike', (index: number) => `word${index} and so on`, 'word1 and so forth '],
    ['words that begin everywhere', (index: number) => `${'啊'.repeat(1 + (index % 20))}${index}`, '啊'],
  ])('takes time linear in the text with ten thousand entries of %s', async (_what, writtenOf, text) => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ written: writtenOf(index), spoken: 'x' }));
    const rewrite = counted.lexiconSteps(many);
    const check = (characters: number): void => {
      const given = text.repeat(Math.ceil(characters / text.length));
      expect(atOnce(rewrite(given))).toBe(given);
    };
    // The entries that the text leads to are sorted at the first time.
    check(1_000);
    expect(await growthOf(check, 1_000, 4_000)).toBeLessThan(4.3);
  });

  it('is compiled once for the same entries, in time that the text decides', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({ written: `word ${index}`, spoken: String(index) }));
    expect(parseRequest({ text: 'a', lexicon: many }).lexicon).toHaveLength(100_000);
    const tooMany = /^lexicon must be at most 100000 entries of two texts/;
    expect(() => parseRequest({ text: 'a', lexicon: [...many, ...many.slice(0, 1)] })).toThrow(tooMany);
    const voice = [{ written: 'b', spoken: 'c' }];
    expect(lexiconSteps(overlayLexicon(many, voice))).toBe(lexiconSteps(overlayLexicon(many, voice)));
    expect(speakBy(many, 'word 99999, word 99 and word')).toBe('99999, 99 and word');
    expect(speakBy([{ written: ' ', spoken: 'x' }], 'a  b')).toBe('a  b');
  });
});

describe('a lexicon over another', () => {
  const speakWith = (lower: string, higher: string): string =>
    speakBy(overlayLexicon(parseLexicon(lower, 'a').entries, parseLexicon(higher, 'b').entries), 'gif GIF Gif cd');

  it.each(cases('lexicon over another'))('$case under $given', ({ case: lower, given, expected }) =>
    expect(speakWith(lower, given)).toBe(expected),
  );
});

describe('a file of pronunciations', () => {
  it('may be PLS', () => {
    const { entries, warnings } = parseLexicon(
      `<?xml version="1.0" encoding="UTF-8"?>
      <lexicon version="1.0" alphabet="ipa" xml:lang="en-US" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon">
        <lexeme><grapheme>W3C</grapheme><grapheme>w3c</grapheme><alias>World Wide Web &amp; more</alias></lexeme>
        <lexeme><grapheme>hello</grapheme><phoneme alphabet="x-arpabet">HH AH0 L OW1</phoneme></lexeme>
        <lexeme><grapheme>tomato</grapheme><phoneme>təˈmeɪtoʊ</phoneme></lexeme>
        <lexeme><grapheme>either</grapheme><phoneme>x</phoneme><alias>eye-ther</alias></lexeme>
        <lexeme><grapheme>R&amp;D</grapheme><alias><![CDATA[research & development]]></alias></lexeme>
      </lexicon>`,
      'words.pls',
    );
    expect(entries).toEqual([
      { written: 'W3C', spoken: 'World Wide Web & more' },
      { written: 'w3c', spoken: 'World Wide Web & more' },
      { written: 'hello', spoken: '{HH AH0 L OW1}' },
      { written: 'either', spoken: 'eye-ther' },
      { written: 'R&D', spoken: 'research & development' },
    ]);
    expect(warnings).toEqual([
      'words.pls, line 5: "tomato" is ignored: the alphabet "ipa" is not supported; use <alias>, or x-arpabet or x-pinyin',
    ]);
  });

  it('counts the entries of a dictionary in another alphabet', () => {
    const lexeme = '<lexeme><grapheme>a</grapheme><phoneme>a</phoneme></lexeme>\n';
    const { warnings } = parseLexicon(`<lexicon alphabet="ipa">${lexeme.repeat(130_000)}</lexicon>`, 'words.pls');
    const rest = 'words.pls: 129980 more entries in alphabets that are not supported are ignored';
    expect([warnings.length, warnings.at(-1)]).toEqual([21, rest]);
  });

  it.each(cases('lexicon refused'))('is refused with $case', ({ given, expected }) => {
    expect(() => parseLexicon(given, 'words.txt')).toThrow(`words.txt, line ${expected}`);
  });
});
