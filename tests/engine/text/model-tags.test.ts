/** Tags and phonemes of the model in every stage that a text passes through. */
import { describe, expect, it } from '@jest/globals';
import { compileLexicon } from '../../../src/engine/lexicon/lexicon.ts';
import { parseScript } from '../../../src/engine/script/parse-script.ts';
import { cleanText } from '../../../src/engine/text/clean.ts';
import { modelPhonemes, modelTags } from '../../../src/engine/text/model-tags.ts';
import { splitSteps } from '../../../src/engine/text/split.ts';
import { splitStyle } from '../../../src/engine/text/style.ts';
import { withoutSteps } from '../../../src/event-loop.ts';
import { verbalizeText } from '../../support/verbalize.ts';

const pronounce = compileLexicon([
  { written: 'sigh', spoken: 'no' },
  { written: 'question', spoken: 'no' },
  { written: 'ni3', spoken: 'no' },
  { written: 'ow1', spoken: 'no' },
  { written: 'laughing', spoken: 'no' },
]);

const script = (format: 'plain' | 'markdown' | 'ssml' | 'script') => (text: string) =>
  parseScript(text, { format, voices: ['Anna'], code: 'skip' })
    .passages.map((passage) => passage.text)
    .join(' ');

const stages: Readonly<Record<string, (text: string) => string>> = {
  cleaning: cleanText,
  normalization: verbalizeText,
  lexicon: pronounce,
  style: (text) => splitStyle(`(calm) ${text}`).text,
  splitting: (text) => [...withoutSteps(splitSteps(text, { maxCharacters: 60 }))].map((part) => part.text).join(' '),
  'plain text': script('plain'),
  Markdown: script('markdown'),
  SSML: (text) => script('ssml')(`<speak>${text}</speak>`),
  'script tags': script('script'),
};

const markup = [...modelTags.map((tag) => `[${tag}]`), '{ni3}', '{hao3}', '{lü4}', '{HH AH0 L OW1}', '{W ER1 L D}'];

describe.each(Object.entries(stages))('%s', (_stage, run) => {
  it.each(markup)('leaves %s as it is', (item) => {
    for (const text of [`${item} Well done.`, `Well ${item} done.`, `Well, done ${item}.`, `Well done. ${item}`]) {
      expect(run(text)).toBe(text);
    }
    expect(run(`你${item}好，${item}世界。`)).toBe(`你${item}好，${item}世界。`);
  });
});

it('passes them through all stages together', () => {
  const text = `Say {HH AH0 L OW1} ${markup.join(' ')} and {ni3}{hao3}.`;
  const passed = Object.entries(stages)
    .filter(([stage]) => stage !== 'style')
    .reduce((current, [, run]) => run(current), text);
  expect(passed).toBe(text);
});

describe('modelPhonemes', () => {
  it.each([
    ['x-arpabet', 'HH AH0 L OW1', '{HH AH0 L OW1}'],
    ['cmu', ' HH  AH0 ', '{HH AH0}'],
    ['x-pinyin', 'ni3', '{ni3}'],
    ['x-pinyin', 'ni3 hao3', '{ni3}{hao3}'],
    ['ipa', 'həˈloʊ', undefined],
    ['', 'HH', undefined],
    ['x-pinyin', ' ', undefined],
    ['x-pinyin', 'ni3} {', undefined],
  ])('writes %j of %j as %j', (alphabet, phonemes, expected) => {
    expect(modelPhonemes(alphabet, phonemes)).toBe(expected);
  });
});
