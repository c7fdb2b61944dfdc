import { describe, expect, it } from '@jest/globals';
import { cleanText } from '../../../src/engine/text/clean.ts';
import { modelTags } from '../../../src/engine/text/model-tags.ts';
import { pauseSeconds, type SplitOptions, speechLength, splitSteps } from '../../../src/engine/text/split.ts';
import { withSegments } from '../../../src/engine/text/spoken-text.ts';
import { withoutSteps } from '../../../src/event-loop.ts';
import { countedCopy, growthOf } from '../../support/work.ts';
import { cases } from '../cases.ts';
import { languages } from './languages.ts';

const counted = await countedCopy<
  typeof import('../../../src/engine/text/clean.ts') & typeof import('../../../src/engine/text/split.ts')
>('src/engine/text/clean.ts', 'src/engine/text/split.ts');

const splitText = (text: string, options: SplitOptions) => withoutSteps(splitSteps(text, options));
const split = (text: string, maxCharacters = 280) => [...splitText(text, { maxCharacters })];
const texts = (text: string, maxCharacters?: number) => split(text, maxCharacters).map((part) => part.text);
const words = (text: string) => text.split(/\s+/).filter(Boolean);

const story =
  'The quick brown fox, which was not lazy at all, jumped over the dog and ran into the forest because it had seen a ' +
  'hunter with 1,234.56 dollars in the year 2026. It never came back! Did anybody, e.g. Dr. Miller, see it again? No.';

describe('splitText', () => {
  it('does not split a text that fits into one part', () => {
    expect(split('Hello there. How are you?')).toEqual([
      { text: 'Hello there. How are you?', end: 'paragraph', pauseSeconds: pauseSeconds.paragraph },
    ]);
  });

  it('combines sentences into parts of similar length', () => {
    const parts = texts('One two three four five six seven. '.repeat(12), 280);
    expect(parts.map(({ length }) => length)).toEqual([209, 209]);
  });

  it.each([280, 120, 55, 30, 12])('never exceeds the limit of %i and contains every word once', (limit) => {
    const parts = texts(story, limit);
    for (const part of parts) expect(speechLength(part)).toBeLessThanOrEqual(limit);
    expect(parts.flatMap(words)).toEqual(words(story));
  });

  it('reports what ends a part', () => {
    expect(split('A long sentence, with a clause and many words. Short one here.\n\nNew.', 30)).toEqual([
      { text: 'A long sentence,', end: 'clause', pauseSeconds: 0.2 },
      { text: 'with a clause and many words.', end: 'sentence', pauseSeconds: 0.4 },
      { text: 'Short one here.', end: 'paragraph', pauseSeconds: 0.9 },
      { text: 'New.', end: 'paragraph', pauseSeconds: 0.9 },
    ]);
  });

  it.each(cases('parts'))('splits $given at $case', ({ case: limit, given, expected }) => {
    expect(texts(given, Number(limit)).join(' | ')).toBe(expected);
  });

  it.each(cases('paragraphs'))('finds the paragraphs of $given', ({ given, expected }) => {
    expect(texts(given).join(' | ')).toBe(expected);
  });

  it.each([
    ['phonemes', 'Say {HH AH0 L OW1} {W ER1 L D} and {T AH0 M AA1 R OW0} there, then stop here now.'],
    ['Chinese phonemes', `请说${'{ni3}{hao3}'.repeat(9)}，然后再见，谢谢你们大家。`],
    ['phonemes only', '{ni3}{hao3}'.repeat(20)],
    ['tags', 'Well [a very long and slow sigh of relief] we [Question-ah] did it [laughing] all of us [Uhm] at once.'],
  ])('never splits %s', (_what, text) => {
    for (let maxCharacters = 21; maxCharacters < 45; maxCharacters += 1) {
      const parts = texts(text, maxCharacters);
      expect(parts.length).toBeGreaterThan(1);
      for (const part of parts) expect(part).toMatch(/^(?:[^[\]{}]|\[[^[\]{}]+\]|\{[^[\]{}]+\})*$/);
      expect(parts.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }
  });

  it.each(modelTags)('never makes [%s] a part of its own', (tag) => {
    const text = `[${tag}] The first sentence is of some length. [${tag}] The second one, too! [${tag}]`;
    for (let maxCharacters = 30; maxCharacters < 90; maxCharacters += 1) {
      for (const part of texts(text, maxCharacters)) expect(part.replaceAll(`[${tag}]`, '')).toMatch(/\p{L}/u);
    }
  });

  it('keeps a tag that is a paragraph', () => {
    expect(texts('One.\n\n[laughing]\n\nTwo.')).toEqual(['One.', '[laughing]', 'Two.']);
  });

  it.each([
    ['Thai', 'วันนี้อากาศดีมาก เราไปเดินเล่นกันเถอะ แล้วกลับบ้าน'],
    ['Lao', 'ມື້ນີ້ອາກາດດີຫຼາຍ ພວກເຮົາໄປຍ່າງຫຼິ້ນກັນເທາະ ແລ້ວກັບບ້ານ'],
  ])('splits %s, which has no punctuation, at spaces', (_script, text) => {
    const phrases = text.split(' ');
    expect(texts(text, Math.max(...phrases.map(({ length }) => length)) + 1)).toEqual(phrases);
  });

  it('splits Burmese and Khmer after their commas', () => {
    expect(texts('သူကပြောပါတယ်၊ ငါကနားထောင်ပါတယ်', 16)).toEqual(['သူကပြောပါတယ်၊', 'ငါကနားထောင်ပါတယ်']);
    expect(texts('គាត់និយាយថា៖ខ្ញុំស្តាប់', 13)).toEqual(['គាត់និយាយថា៖', 'ខ្ញុំស្តាប់']);
  });

  describe.each(Object.entries(languages))('in %s', (_language, marked) => {
    const sentences = marked.join(' ').replaceAll('|', '');
    const isUnspaced = /[\p{Script=Han}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
      sentences,
    );
    // A word in an alphabet has to be cut where it is longer than a part.
    const oneWord = sentences.replaceAll(/[\s\p{P}]/gu, '');

    it.each([
      ['between words', sentences, 'word', 40],
      ['between words', sentences, 'word', 140],
      ['without spaces', oneWord, isUnspaced ? 'word' : 'grapheme', 24],
      ['without spaces', oneWord, isUnspaced ? 'word' : 'grapheme', 60],
    ] as const)('cuts %s', (_where, text, granularity, limit) => {
      const segments = new Intl.Segmenter('zh', { granularity }).segment(text);
      const starts = new Set([...segments].map(({ index }) => index));
      const parts = texts(text, limit);
      expect(parts.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      let at = 0;
      for (const part of parts) {
        expect(speechLength(part)).toBeLessThanOrEqual(limit);
        while (text[at] === ' ') at += 1;
        expect(starts).toContain(at);
        at += part.length;
      }
    });
  });

  it('omits parts that cannot be spoken', () => {
    expect(texts('One.\n\n* * *\n\n...\n\nTwo.')).toEqual(['One.', 'Two.']);
    expect(texts(' \n\n \t')).toEqual([]);
    expect(texts('?!...')).toEqual([]);
  });

  it('rewrites paragraph by paragraph before splitting', () => {
    const seen: string[] = [];
    const parts = splitText('“One…”\n\n“Two.”', {
      maxCharacters: 280,
      rewrite: (paragraph) => {
        seen.push(paragraph);
        return withSegments(cleanText(paragraph), []);
      },
    });
    expect(parts.next().value).toMatchObject({ text: '"One..."' });
    expect(seen).toEqual(['“One…”']);
    expect([...parts]).toHaveLength(1);
  });

  it('tells what each part was written as', () => {
    const written = 'It cost $5.  On 5/5 it was\n$7 and more. No. But $9, and then some more words.';
    const [five, date, seven, nine] = ['$5', '5/5', '$7', '$9'].map((sign) => written.indexOf(sign)) as number[];
    const segments = [
      { start: five as number, end: (five as number) + 2, spoken: 'five dollars' },
      { start: date as number, end: (date as number) + 3, spoken: 'May fifth' },
      { start: seven as number, end: (seven as number) + 2, spoken: 'seven dollars' },
      { start: nine as number, end: (nine as number) + 2, spoken: 'nine dollars' },
    ];
    const rewrite = (text: string) => withSegments(text, segments);
    const parts = [...splitText(written, { maxCharacters: 60, rewrite })];
    expect(parts.length).toBeGreaterThan(1);
    const found = parts.flatMap(({ text, stretches }) =>
      (stretches ?? []).map(({ start, end, written: own }) => `${text.slice(start, end)} = ${own}`),
    );
    expect(found).toEqual(['five dollars = $5', 'May fifth = 5/5', 'seven dollars = $7', 'nine dollars = $9']);
  });

  it('counts Chinese by its spoken length', () => {
    expect(speechLength('abc')).toBe(3);
    expect(speechLength('中文ab')).toBe(8);
  });

  it.each([
    ['sentences', 'A sentence of a few words. ', ''],
    ['one word', 'a', ''],
    ['one line of Chinese', '中国人民', ''],
    ['white space', ' ', 'a'],
    ['brackets and quotes', '("', ''],
    ['dashes', '— ', ''],
    ['Thai', 'ไม่มีช่องว่างระหว่างคำ', ''],
    ['Burmese', 'သူကပြောပါတယ်ငါကနားထောင်ပါတယ်', ''],
    ['abbreviations', 'Dr. A.-B. z. B. ω; ד"ר ', ''],
  ])('takes linear time for %s without an end', async (_name, piece, end) => {
    const split = (length: number): void => {
      const text = piece.repeat(length / piece.length) + end;
      let spoken = 0;
      const rewrite = (paragraph: string) => withSegments(counted.cleanText(paragraph), []);
      for (const part of withoutSteps(counted.splitSteps(text, { maxCharacters: 55, rewrite }))) {
        spoken += part.text.length;
      }
      expect(spoken).toBeLessThanOrEqual(text.length);
    };
    expect(await growthOf(split, 1_000, 4_000)).toBeLessThan(4.3);
  });
});
