/** A book as it was read, whatever its format. */
import type { Segment } from '../engine/script/passage.ts';

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
  readonly leftOut: Readonly<Partial<Record<LeftOutKind, number>>>;
  /** One line each. */
  readonly warnings: readonly string[];
}

/** What a listener doesn't want to hear. */
export const leftOutKinds = [
  'notes',
  'page-numbers',
  'line-numbers',
  'contents',
  'index',
  'copyright',
  'hidden',
  'tags',
] as const;
export type LeftOutKind = (typeof leftOutKinds)[number];

export interface ReadBookOptions {
  /**
   * Entries of the table of contents down to this level are chapters. When left out, entries below the first one of a page
   * are, where their chapter would be long.
   */
  readonly chapterDepth?: number | undefined;
  /** What to read all the same. */
  readonly keep?: readonly LeftOutKind[] | undefined;
}

export const chapterDepths = { kind: 'integer', minimum: 1, maximum: 9 } as const;

/** Counts what is not read. */
export interface LeftOutCounter {
  /** Whether places of this kind are left out. */
  leaves(kind: LeftOutKind): boolean;
  count(kind: LeftOutKind): void;
  readonly counts: Readonly<Partial<Record<LeftOutKind, number>>>;
}

export function countLeftOut(keep: readonly LeftOutKind[] = []): LeftOutCounter {
  const counts: Partial<Record<LeftOutKind, number>> = {};
  return {
    leaves: (kind) => !keep.includes(kind),
    count(kind) {
      counts[kind] = (counts[kind] ?? 0) + 1;
    },
    counts,
  };
}
