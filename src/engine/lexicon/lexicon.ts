/**
 * Words that are spoken otherwise than they are written. Entries in lower case match in any case, others as written; they
 * match whole words only, but for scripts without spaces; where several match, the longest one does.
 */
import { aroundMarkup } from '../text/markup.ts';

export interface LexiconEntry {
  /** A word or several; every run of white space matches any other. */
  readonly written: string;
  /** Spoken instead: a respelling, or phonemes such as `{HH AH0 L OW1}`. */
  readonly spoken: string;
}

/** In UTF-16 code units; also bounds the time that a character of text takes. */
export const longestEntry = 200;

interface Node {
  readonly next: Map<string, Node>;
  spoken?: string;
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;
const whiteSpace = /\s/u;

const newNode = (): Node => ({ next: new Map() });

const hasCapitals = (text: string): boolean => text !== text.toLowerCase();

/** Entries of respellings by words, as in JSON. */
export const entriesOf = (
  respellings: Readonly<Record<string, string>> | null | undefined,
): readonly LexiconEntry[] | undefined =>
  respellings ? Object.entries(respellings).map(([written, spoken]) => ({ written, spoken })) : undefined;

const singleSpaced = (written: string): string => written.trim().replace(/\s+/gu, ' ');

function insert(root: Node, { written, spoken }: LexiconEntry): void {
  let node = root;
  for (const character of singleSpaced(written)) {
    let next = node.next.get(character);
    if (next === undefined) {
      next = newNode();
      node.next.set(character, next);
    }
    node = next;
  }
  // A later entry replaces an earlier one.
  node.spoken = spoken;
}

/** Both lexicons in one; `higher` decides about a word in both. */
export function overlayLexicon(
  lower: readonly LexiconEntry[] = [],
  higher: readonly LexiconEntry[] = [],
): readonly LexiconEntry[] {
  if (lower.length === 0) return higher;
  if (higher.length === 0) return lower;
  const words = new Set(higher.map(({ written }) => singleSpaced(written)));
  const isOverlaid = (word: string): boolean => words.has(word) || words.has(word.toLowerCase());
  return [...lower.filter(({ written }) => !isOverlaid(singleSpaced(written))), ...higher];
}

/** Both must be of one word for the place between them not to be a boundary. */
const isInsideWord = (one: string, other: string): boolean =>
  wordCharacter.test(one) && wordCharacter.test(other) && !(unspaced.test(one) || unspaced.test(other));

/**
 * @returns a function that rewrites a text in time linear in its length, whatever the number of entries; what it puts in is not
 * looked up again, and tags and phonemes of the text stay
 */
export function compileLexicon(entries: readonly LexiconEntry[]): (text: string) => string {
  if (entries.length === 0) return (text) => text;
  const exact = newNode();
  const folded = newNode();
  for (const entry of entries) insert(hasCapitals(entry.written) ? exact : folded, entry);

  function rewrite(text: string): string {
    const characters = [...text];
    const lower = characters.map((character) => character.toLowerCase());
    let rewritten = '';
    let copied = 0;
    for (let at = 0; at < characters.length; ) {
      const found = isStart(characters, at)
        ? longer(longestMatch(exact, characters, at), longestMatch(folded, lower, at))
        : undefined;
      if (found === undefined) {
        at += 1;
        continue;
      }
      rewritten += characters.slice(copied, at).join('') + found.spoken;
      at = copied = found.end;
    }
    return copied === 0 ? text : rewritten + characters.slice(copied).join('');
  }
  return (text) => aroundMarkup(text, rewrite);
}

const isStart = (characters: readonly string[], at: number): boolean =>
  at === 0 || !isInsideWord(characters[at - 1] as string, characters[at] as string);

interface Match {
  readonly end: number;
  readonly spoken: string;
}

function longestMatch(root: Node, characters: readonly string[], start: number): Match | undefined {
  let node: Node | undefined = root;
  let match: Match | undefined;
  let at = start;
  while (at < characters.length) {
    const isSpace = whiteSpace.test(characters[at] as string);
    node = node.next.get(isSpace ? ' ' : (characters[at] as string));
    if (node === undefined) return match;
    at += 1;
    if (isSpace) while (at < characters.length && whiteSpace.test(characters[at] as string)) at += 1;
    const isEnd = at === characters.length || !isInsideWord(characters[at - 1] as string, characters[at] as string);
    if (node.spoken !== undefined && isEnd) match = { end: at, spoken: node.spoken };
  }
  return match;
}

/** The exact one where both are as long. */
const longer = (exact: Match | undefined, folded: Match | undefined): Match | undefined =>
  (exact?.end ?? 0) >= (folded?.end ?? 0) ? (exact ?? folded) : folded;
