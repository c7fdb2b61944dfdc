/** Chapters with their numbers, to choose from. */
import { quote, show } from '../messages.ts';
import { invalid } from '../validation.ts';
import type { Book } from './book.ts';
import { checkChapters } from './check-chapters.ts';
import { type SpokenChapter, sectionsOf } from './sections.ts';

export interface ListedChapter extends SpokenChapter {
  /** From 1. */
  readonly number: number;
  /** Characters that are spoken. */
  readonly characters: number;
  /** Estimated length of the speech, pauses included. */
  readonly seconds: number;
}

export interface ListedChapters {
  readonly chapters: readonly ListedChapter[];
  /** One line for each chapter without words; of many, for the first, and one for all others. */
  readonly warnings: readonly string[];
}

const mostWarnings = 20;

/**
 * The chapters that have words, with their text in sections for one request each.
 *
 * @throws SvcError INVALID_REQUEST for what is no book
 */
export function listChapters(book: Pick<Book, 'chapters'>, extent: 'whole' | 'preview' = 'whole'): ListedChapters {
  if (!Array.isArray(book?.chapters)) throw invalid('what readBook returns', 'the book', show(book));
  checkChapters(book.chapters);
  const chapters: ListedChapter[] = [];
  const warnings: string[] = [];
  let wordless = 0;
  for (const chapter of book.chapters) {
    const spoken = sectionsOf(chapter, extent);
    if (!('sections' in spoken)) {
      wordless += 1;
      if (wordless <= mostWarnings)
        warnings.push(`the chapter ${quote(spoken.title)} ${spoken.reason} and is left out`);
      continue;
    }
    const sum = (measure: 'characters' | 'seconds'): number =>
      spoken.sections.reduce((total, section) => total + section[measure], 0);
    chapters.push({ ...spoken, number: chapters.length + 1, characters: sum('characters'), seconds: sum('seconds') });
  }
  if (wordless > mostWarnings) warnings.push(`${wordless - mostWarnings} more chapters have no words and are left out`);
  return { chapters, warnings };
}
