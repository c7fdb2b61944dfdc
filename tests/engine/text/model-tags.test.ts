/** Tags and phonemes of the model in every stage that a text passes through. */
import { describe, expect, it } from '@jest/globals';
import { lexiconSteps } from '../../../src/engine/lexicon/lexicon.ts';
import { parseScript } from '../../../src/engine/script/parse-script.ts';
import { cleanText } from '../../../src/engine/text/clean.ts';
import { modelPhonemes, modelTags } from '../../../src/engine/text/model-tags.ts';
import { splitSteps } from '../../../src/engine/text/split.ts';
import { splitStyle } from '../../../src/engine/text/style.ts';
import { atOnce, withoutSteps } from '../../../src/event-loop.ts';
import { verbalizeText } from '../../support/verbalize.ts';
import { cases } from '../cases.ts';

const pronounceSteps = lexiconSteps([
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
  lexicon: (text: string) => atOnce(pronounceSteps(text)),
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
  it.each(cases('phonemes'))('writes $case of $given as $expected', ({ case: alphabet, given, expected }) => {
    expect(modelPhonemes(alphabet, given) ?? '').toBe(expected);
  });
});
