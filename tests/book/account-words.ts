/** Accounts for the words of a document: what a listener hears of it, and what is reported. */
import type { Book } from '../../src/book/book.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';
import { readRows } from '../support/rows.ts';

/** Fate of a construct: its words are spoken, or left out as a kind. */
export type Fate = 'spoken' | keyof Book['leftOut'] | 'nothing';

/** Name, mark-up with the word `WORD`, and what must become of it. */
export type Construct = readonly [name: string, markup: string, fate: Fate];

const table = readRows<'format' | 'fate' | 'name' | 'markup'>('tests/book/constructs.tsv');

export const constructsOf = (...formats: readonly string[]): readonly Construct[] =>
  table.flatMap(({ format, fate, name, markup }) =>
    formats.includes(format) ? [[name, markup, fate as Fate] as const] : [],
  );

/** The mark-up of all constructs, each with a word of its own. */
export const withWords = (
  constructs: readonly Construct[],
  join: (markup: string, index: number) => string = (markup) => markup,
): string => constructs.map(([, markup], index) => join(markup.replaceAll('WORD', wordOf(index)), index)).join('\n');

/** Word of letters alone, as numbers may be marks of notes. */
const wordOf = (index: number): string => `quill${String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26))}`;

/** Fate of each construct, and how many of each kind are reported: to compare with `expected`. */
export function accountOf({ chapters, leftOut }: Book, constructs: readonly Construct[]) {
  const spoken = chapters.flatMap(({ segments }) => passagesOf(segments).map(({ text }) => text)).join(' ');
  const times = (index: number): number => spoken.split(wordOf(index)).length - 1;
  return {
    spoken: constructs.flatMap(([name], index) =>
      times(index) > 0 ? [times(index) > 1 ? `${name} twice` : name] : [],
    ),
    leftOut,
  };
}

export function expected(constructs: readonly Construct[]) {
  const leftOut: Partial<Record<string, number>> = {};
  for (const [, , fate] of constructs)
    if (fate !== 'spoken' && fate !== 'nothing') leftOut[fate] = (leftOut[fate] ?? 0) + 1;
  return { spoken: constructs.filter(([, , fate]) => fate === 'spoken').map(([name]) => name), leftOut };
}
