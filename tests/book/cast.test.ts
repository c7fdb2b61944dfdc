import { describe, expect, it } from '@jest/globals';
import type { Chapter } from '../../src/book/book.ts';
import { castChapters, parseCast } from '../../src/book/cast.ts';
import { htmlSegments } from '../../src/book/html-segments.ts';
import { sectionsOf } from '../../src/book/sections.ts';
import { suggestCast } from '../../src/book/suggest-cast.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';

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

  it.each([
    ['„Wer bist du?“, fragte die Anna.', 'Anna'],
    ['« Bonjour », dit Madame Curie.', 'Madame Curie'],
    ['—«¿Qué?», preguntó Sancho.', 'Sancho'],
    ['小明说：“你好，我是老师。”', '小明'],
    ['“Come in,” Mrs. Dalloway said softly.', 'Mrs. Dalloway'],
    ['“Come in,” he said.', 'unknown'],
    ['Then Tom Sawyer called out: “Come in!”', 'Tom Sawyer'],
  ])('knows who speaks in %j', (paragraph, character) => {
    const { chapters } = suggestCast([chapter('One', paragraph)], ['alma']);
    expect(chapters?.[0]?.lines?.map((line) => line.character)).toEqual([character]);
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

  it.each<readonly [object, string]>([
    [{ charcters: {} }, 'unknown field "charcters" in cast.yaml; did you mean "characters"?'],
    [{ characters: { Alice: 3 } }, 'characters.Alice must be a string, got 3'],
    [{ characters: { narrator: 'alma' } }, 'cast.yaml: no character can be called "narrator"; use another name'],
    [
      { characters: { Alice: 'celia' }, chapters: [{ chapter: 1, lines: [{ quote: 'x', character: 'Alcie' }] }] },
      'cast.yaml: unknown character "Alcie" of "x" in chapter 1 (characters lists Alice); did you mean "Alice"?',
    ],
    [{ chapters: [{ chapter: 3 }] }, 'cast.yaml: the book has no chapter 3, only 2; --list lists them'],
    [{ chapters: [{ chapter: 1 }, { chapter: 1 }] }, 'cast.yaml: chapter 1 is there twice; put its lines together'],
    [
      { chapters: [{ chapter: 1, lines: [{ quote: 'Who are' }, { quote: 'I hardyl know' }] }] },
      'cast.yaml: chapter 1 has no quotation that begins with "I hardyl know" behind "Who are"; did you mean "I hardly know"?',
    ],
    [
      { chapters: [{ chapter: 1, lines: [{ quote: '?!' }] }] },
      'quote of item 1 of lines of item 1 of chapters must be',
    ],
    [{ pauses: { chapter: 61 } }, 'pauses.chapter must be a number from 0 to 60, got 61'],
  ])('refuses %j', (value, message) => {
    expect(() => castChapters(book, parseCast(value, 'cast.yaml'), 'cast.yaml')).toThrow(message);
  });
});
