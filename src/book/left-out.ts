/** Parts of a book that are not read: counted by kind, with the first place, so that no word is lost in silence. */
import { quote, sanitizeLine, shorten } from '../messages.ts';

/** Kinds that are left out for listeners, who can ask for them all the same. */
export const leftOutKinds = [
  'notes',
  'page-numbers',
  'line-numbers',
  'contents',
  'index',
  'copyright',
  'hidden',
  'readings',
  'comments',
  'changes',
  'forms',
  'pictures',
  'surroundings',
  'stamps',
  'sounds',
  'tags',
] as const;
export type KeptKind = (typeof leftOutKinds)[number];

/** Kinds that cannot be read: formulas without words; drawings, charts, videos and what stands in for them. */
const unreadableKinds = ['formulas', 'embedded'] as const;
export type LeftOutKind = KeptKind | (typeof unreadableKinds)[number];

export type LeftOut = Readonly<Partial<Record<LeftOutKind, number>>>;
export type FirstLeftOut = Readonly<Partial<Record<LeftOutKind, string>>>;

export function countLeftOut(keep: readonly KeptKind[] = []) {
  const counts: Partial<Record<LeftOutKind, number>> = {};
  const first: Partial<Record<LeftOutKind, string>> = {};
  return {
    /** Whether places of this kind are left out. */
    leaves: (kind: LeftOutKind): boolean => !keep.some((kept) => kept === kind),
    /** @param before the end of what is spoken before the words that are left out */
    count(kind: LeftOutKind, words = '', before = ''): void {
      counts[kind] = (counts[kind] ?? 0) + 1;
      first[kind] ??= placeOf(sanitizeLine(words), sanitizeLine(before));
    },
    counts: counts as LeftOut,
    first: first as FirstLeftOut,
  };
}
export type LeftOutCounter = ReturnType<typeof countLeftOut>;

function placeOf(words: string, before: string): string {
  const shown = words === '' ? '' : quote(shorten(words));
  return before === '' ? shown : `${shown} behind ${quote(before)}`.trim();
}

export const silentFormulas = ({ formulas }: LeftOut): readonly string[] =>
  formulas === undefined ? [] : [`formulas that have no words are left out (${formulas} in the book)`];

/** One line; undefined if nothing is left out. */
export function describeLeftOut(
  { leftOut, firstLeftOut = {} }: { readonly leftOut: LeftOut; readonly firstLeftOut?: FirstLeftOut | undefined },
  kinds = (kind: LeftOutKind): boolean => kind !== 'tags',
): string | undefined {
  const found = (Object.entries(leftOut) as [LeftOutKind, number][]).filter(([kind]) => kinds(kind));
  if (found.length === 0) return undefined;
  const counts = found.map(([kind, count]) => {
    const place = firstLeftOut[kind];
    return `${kind} (${count}${place ? `, first ${place}` : ''})`;
  });
  const kept = found.flatMap(([kind]) => (leftOutKinds.some((known) => known === kind) ? [kind] : []));
  const remedy = kept.length === 0 ? '' : `; --keep ${kept.join(',')} reads them`;
  return `left out: ${counts.join(', ')}${remedy}`;
}
