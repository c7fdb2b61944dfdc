import type { Book } from '../../src/book/book.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';

/** Titles and texts of the chapters of a book. */
export const chaptersOf = ({ chapters }: Book): readonly (readonly string[])[] =>
  chapters.map(({ title, segments }) => [
    title,
    passagesOf(segments)
      .map(({ text }) => text)
      .join(' '),
  ]);
