/** Jobs of the thread of books, and its answers. */
import type { ThreadReply } from '../processors/thread-pool.ts';
import type { Book, Chapter, ReadBookOptions } from './book.ts';
import type { CastFile } from './cast.ts';
import type { BookCheck } from './check-book.ts';
import type { ListedChapter } from './list-chapters.ts';
import type { VoicedBook, Voicing } from './voice-book.ts';

type Path = { readonly path: string };
/** A book: a file, or a text that is none, which the path only names. */
export type Reading = Path & { readonly text?: string | undefined; readonly options: ReadBookOptions };

/** Everything of a book but its chapters. */
export type BookDetails = Omit<Book, 'chapters'>;

/** Jobs by name: what they take, what of their result is a list, and the rest. */
export interface BookJobs {
  readonly read: { readonly given: Reading; readonly item: BookItem; readonly rest: BookDetails };
  /** The texts of the chapters. */
  readonly list: {
    readonly given: Path & { readonly options: ReadBookOptions };
    readonly item: ListedChapter;
    readonly rest: BookDetails;
  };
  /** The same in the voices in which they will be spoken. */
  readonly voice: {
    readonly given: Reading & { readonly voicing: Voicing };
    readonly item: ListedChapter;
    readonly rest: Omit<VoicedBook, 'chapters'> & {
      readonly book: BookDetails;
      /** The chapters as JSON. */
      readonly written: string;
    };
  };
  /** A cast to begin with, as YAML or JSON. */
  readonly suggest: {
    readonly given: Reading & { readonly voices: readonly [string, ...string[]]; readonly format: 'yaml' | 'json' };
    readonly item: never;
    readonly rest: { readonly text: string; readonly warnings: readonly string[] };
  };
  readonly check: {
    readonly given: Reading;
    readonly item: never;
    readonly rest: { readonly book: BookDetails; readonly check: BookCheck };
  };
  readonly cast: { readonly given: Path & { readonly text: string }; readonly item: never; readonly rest: CastFile };
}

export type BookJob = {
  readonly [Kind in keyof BookJobs]: { readonly kind: Kind } & BookJobs[Kind]['given'];
}[keyof BookJobs];

export interface BookResult<Kind extends keyof BookJobs> {
  readonly items: readonly BookJobs[Kind]['item'][];
  readonly rest: BookJobs[Kind]['rest'];
}

export type BookReply =
  | ThreadReply
  /** Some of the list, all of which would take long to receive at once; more follow when the receiver asks. */
  | { readonly kind: 'items'; readonly items: readonly unknown[] }
  | { readonly kind: 'end'; readonly rest: unknown };

/** A book as one list: the title of each chapter, followed by its segments. */
export type BookItem = Chapter['segments'][number] | { readonly kind: 'chapter'; readonly title: string };

export const itemsOf = (chapters: Book['chapters']): readonly BookItem[] =>
  chapters.flatMap(({ title, segments }) => [{ kind: 'chapter', title } as const, ...segments]);

export function chaptersOf(items: readonly BookItem[]): Book['chapters'] {
  const chapters: { readonly title: string; readonly segments: Chapter['segments'][number][] }[] = [];
  for (const item of items) {
    if (item.kind === 'chapter') chapters.push({ title: item.title, segments: [] });
    else chapters.at(-1)?.segments.push(item);
  }
  return chapters;
}
