/** Maps lexicon phonemes back to the written words for captions. */
import { phonemes } from '../text/markup.ts';
import type { LexiconEntry } from './lexicon.ts';

/** Phonemes in a text, with what a lexicon may have put around them. */
export interface SpokenEntry {
  /** Indices of characters. */
  readonly start: number;
  readonly end: number;
  readonly written: string;
}

type FindSpoken = (text: string) => readonly SpokenEntry[];

const groups = new RegExp(phonemes, 'gu');
const finders = new WeakMap<readonly LexiconEntry[], FindSpoken>();

/**
 * @param entries unchanged afterwards: the result is kept for the same array
 * @returns a function that finds in a text what entries with phonemes have put there. Of entries that sound the same, the
 * later one counts.
 */
export function findSpokenOf(entries: readonly LexiconEntry[]): FindSpoken {
  const known = finders.get(entries);
  if (known !== undefined) return known;
  /** Entries by the first group of phonemes. */
  const candidates = new Map<string, (LexiconEntry & { readonly offset: number })[]>();
  for (const entry of entries.toReversed()) {
    const offset = entry.spoken.search(groups);
    const [group] = entry.spoken.match(groups) ?? [];
    if (group === undefined) continue;
    const others = candidates.get(group);
    if (others === undefined) candidates.set(group, [{ ...entry, offset }]);
    else others.push({ ...entry, offset });
  }
  for (const others of candidates.values()) others.sort((one, other) => other.spoken.length - one.spoken.length);

  const find: FindSpoken = (text) => {
    const found: SpokenEntry[] = [];
    if (candidates.size === 0) return found;
    let from = 0;
    for (const { 0: group, index } of text.matchAll(groups)) {
      if (index < from) continue;
      const entry = candidates
        .get(group)
        ?.find(({ spoken, offset }) => index - offset >= from && text.startsWith(spoken, index - offset));
      if (entry === undefined) continue;
      const start = index - entry.offset;
      from = start + entry.spoken.length;
      found.push({ start, end: from, written: entry.written });
    }
    return found;
  };
  finders.set(entries, find);
  return find;
}
