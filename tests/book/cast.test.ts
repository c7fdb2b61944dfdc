import { describe, expect, it } from '@jest/globals';
import type { Chapter } from '../../src/book/book.ts';
import { castChapters, parseCast } from '../../src/book/cast.ts';
import { htmlSegments } from '../../src/book/html-segments.ts';
import { sectionsOf } from '../../src/book/sections.ts';
import { suggestCast } from '../../src/book/suggest-cast.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';
import { cases } from './chapters-of.ts';

const chapter = (title: string, ...paragraphs: readonly string[]): Chapter => ({
  title,
  segments: htmlSegments(`<h1>${title}</h1>${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('')}`),
});

const book = [
  chapter(
    'One',
    '“Who are you?” said the Caterpillar.',
    'Alice replied, rather shyly, “I hardly know, sir.”',
    '“What do you mean?”',
    '“I can’t explain.”',
    'The so-called “good life” was over.',
  ),
  chapter('Two', '“Yes.”', 'A pause. (Quietly.) “No,” he said.'),
];

/** Voice and text of each passage. */
const spoken = (chapters: readonly Chapter[]) =>
  chapters.map(({ segments }) => passagesOf(segments).map(({ voice, text }) => `${voice ?? '-'}: ${text}`));

describe('a suggested cast', () => {
  it('has the speaker of each quotation by the verbs beside it, in turns where there are none', () => {
    const cast = suggestCast(book, ['alma', 'bruno', 'celia']);
    expect(cast).toEqual({
      voices: { narrator: 'alma', quotes: 'alma' },
      characters: { Caterpillar: 'bruno', Alice: 'celia', unknown: 'alma' },
      chapters: [
        {
          chapter: 1,
          title: 'One',
          lines: [
            { quote: 'Who are you?', character: 'Caterpillar' },
            { quote: 'I hardly know, sir.', character: 'Alice' },
            { quote: 'What do you mean?', character: 'Caterpillar' },
            { quote: 'I can’t explain.', character: 'Alice' },
          ],
        },
        {
          chapter: 2,
          title: 'Two',
          lines: [
            { quote: 'Yes.', character: 'unknown' },
            { quote: 'No,', character: 'unknown' },
          ],
        },
      ],
    });
    // It fits the book that it is of.
    expect(() => castChapters(book, parseCast(cast, 'cast.yaml'), 'cast.yaml')).not.toThrow();
  });

  it.each(cases('speaker'))('knows who speaks in $given', ({ given, expected }) => {
    const { chapters } = suggestCast([chapter('One', given)], ['alma']);
    expect(chapters?.[0]?.lines?.map((line) => line.character)).toEqual([expected]);
  });
});

describe('a cast', () => {
  const cast = parseCast(
    {
      voices: { quotes: 'iris' },
      characters: { Alice: 'celia', Caterpillar: 'bruno' },
      chapters: [
        {
          chapter: 1,
          lines: [
            { quote: 'who are', character: 'Caterpillar' },
            { quote: 'I can’t', character: 'Alice', pause: 2 },
          ],
        },
      ],
    },
    'cast.yaml',
  );

  it('gives quotations their voices, and leaves words between marks to the narrator', () => {
    const { chapters, spoken: counts } = castChapters(book, cast, 'cast.yaml');
    expect(spoken(chapters)).toEqual([
      [
        '-: One',
        'Caterpillar: “Who are you?”',
        '-: said the Caterpillar.',
        '-: Alice replied, rather shyly,',
        'quotes: “I hardly know, sir.”',
        'quotes: “What do you mean?”',
        'Alice: “I can’t explain.”',
        '-: The so-called “good life” was over.',
      ],
      ['-: Two', 'quotes: “Yes.”', '-: A pause. (Quietly.)', 'quotes: “No,”', '-: he said.'],
    ]);
    expect(counts.get('quotes')).toEqual({ quotations: 4, characters: 51 });
    const passages = passagesOf(chapters[0]?.segments ?? []);
    expect(passages[5]?.pauseSeconds).toBe(2);
  });

  it('becomes sections that are never cut within a paragraph', () => {
    const paragraph = '“Yes,” said Alice. '.repeat(200);
    const { chapters } = castChapters([chapter('One', paragraph, paragraph)], { voices: { quotes: 'iris' } }, 'c');
    const made = sectionsOf(chapters[0] as Chapter);
    if (!('sections' in made)) throw new Error(made.reason);
    expect(made.sections.map(({ pauseSeconds }) => pauseSeconds)).toEqual([0.9, 0.9]);
    expect(made.sections[0]?.text).toContain('<voice name="quotes">“Yes,”</voice> said Alice.');
  });

  it('leaves chapters without voices of their own as they are', () => {
    const { chapters } = castChapters(book, { characters: { Alice: 'celia' } }, 'cast.yaml');
    expect(chapters).toEqual(book);
  });

  it.each(cases('refused cast'))('refuses $given', ({ given, expected }) => {
    expect(() => castChapters(book, parseCast(JSON.parse(given), 'cast.yaml'), 'cast.yaml')).toThrow(expected);
  });
});
