/** A book as it was read, whatever its format. */
import type { Segment } from '../engine/script/passage.ts';
import { type FirstLeftOut, type KeptKind, type LeftOut, type LeftOutCounter, silentFormulas } from './left-out.ts';

export interface Chapter {
  readonly title: string;
  readonly segments: readonly Segment[];
}

export interface Cover {
  readonly bytes: Buffer;
  /** Such as `image/jpeg`. */
  readonly mimeType: string;
}

export interface Book {
  readonly title: string;
  /** All of them, separated by commas. */
  readonly author: string | undefined;
  readonly narrator?: string | undefined;
  readonly publisher?: string | undefined;
  readonly description?: string | undefined;
  /** As the book states it, such as `1865` or `2020-05-01`. */
  readonly date?: string | undefined;
  /** BCP 47 tag. */
  readonly language: string | undefined;
  readonly cover: Cover | undefined;
  readonly chapters: readonly Chapter[];
  /** How many places of each kind are not read. */
  readonly leftOut: LeftOut;
  /** The first of them, to find it: its words, and the ones before it. */
  readonly firstLeftOut?: FirstLeftOut | undefined;
  /** One line each. */
  readonly warnings: readonly string[];
}

/** Details that a document states about itself, as far as it does. */
export type BookDetails = Partial<Omit<Book, 'title' | 'chapters' | 'leftOut' | 'firstLeftOut' | 'warnings'>> & {
  readonly title?: string | undefined;
};

/** A book of chapters that were read, with what was left out of them. */
export const bookOf = (
  about: BookDetails & Pick<Book, 'title'>,
  chapters: Book['chapters'],
  leftOut: LeftOutCounter,
  warnings: readonly string[],
): Book => ({
  ...{ author: undefined, language: undefined, cover: undefined },
  ...about,
  chapters,
  leftOut: leftOut.counts,
  firstLeftOut: leftOut.first,
  warnings: [...warnings, ...silentFormulas(leftOut.counts)],
});

export interface ReadBookOptions {
  /**
   * Entries of the table of contents down to this level are chapters. When left out, entries below the first one of a page
   * are, where their chapter would be long.
   */
  readonly chapterDepth?: number | undefined;
  /** Kinds to read all the same. */
  readonly keep?: readonly KeptKind[] | undefined;
}

export const chapterDepths = { kind: 'integer', minimum: 1, maximum: 9 } as const;
