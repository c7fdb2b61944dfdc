import type { Book } from '../../src/book/book.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';
import { casesIn } from '../support/rows.ts';

export const cases = casesIn('tests/book/cases.tsv');

/** Titles and texts of the chapters of a book. */
export const chaptersOf = ({ chapters }: Book): readonly (readonly string[])[] =>
  chapters.map(({ title, segments }) => [
    title,
    passagesOf(segments)
      .map(({ text }) => text)
      .join(' '),
  ]);

/** Each chapter as its title and text, with a colon between. */
export const chapterLines = (book: Book): readonly string[] => chaptersOf(book).map((parts) => parts.join(': '));
