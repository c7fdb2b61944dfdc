/**
 * Words that are spoken otherwise than they are written. Entries in lower case match in any case, others as written; they
 * match whole words only, but for scripts without spaces; where several match, the longest one does.
 */
import type { Steps } from '../../event-loop.ts';
import { aroundMarkup } from '../text/markup.ts';
import { isUnspaced } from '../text/writing-systems.ts';

export interface LexiconEntry {
  /** A word or several; every run of white space matches any other. */
  readonly written: string;
  /** Spoken instead: a respelling, or phonemes such as `{HH AH0 L OW1}`. */
  readonly spoken: string;
}

export type Lexicon = readonly LexiconEntry[];

/** In UTF-16 code units; also bounds the time that a character of text takes. */
export const longestEntry = 200;

const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;
const whiteSpace = /\s/u;

const hasCapitals = (text: string): boolean => text !== text.toLowerCase();

/** Entries of respellings by words, as in JSON. */
export const entriesOf = (respellings: Readonly<Record<string, string>> | null | undefined): Lexicon | undefined =>
  respellings ? Object.entries(respellings).map(([written, spoken]) => ({ written, spoken })) : undefined;

const singleSpaced = (written: string): string => written.trim().replace(/\s+/gu, ' ');

interface Word {
  readonly written: string;
  readonly spoken: string;
}

/** A tree of characters, which grows where a text leads: few of thousands of words occur in it. */
interface Node {
  readonly depth: number;
  /** Words that begin with the characters up to here and continue. */
  readonly words: Word[];
  spoken?: string;
  next?: ReadonlyMap<string, Node>;
}

const newNode = (depth: number): Node => ({ depth, words: [] });

function grow({ words, depth }: Node): ReadonlyMap<string, Node> {
  const next = new Map<string, Node>();
  for (const word of words) {
    const { written, spoken } = word;
    const character = String.fromCodePoint(written.codePointAt(depth) ?? 0);
    const node = next.get(character) ?? newNode(depth + character.length);
    next.set(character, node);
    // A later entry replaces an earlier one.
    if (node.depth === written.length) node.spoken = spoken;
    else node.words.push(word);
  }
  return next;
}

const overlays = new WeakMap<Lexicon, WeakMap<Lexicon, Lexicon>>();

/** Both lexicons in one; `higher` decides about a word in both. */
export function overlayLexicon(lower: Lexicon = [], higher: Lexicon = []): Lexicon {
  if (lower.length === 0) return higher;
  if (higher.length === 0) return lower;
  const made = overlays.get(lower) ?? new WeakMap<Lexicon, Lexicon>();
  overlays.set(lower, made);
  const known = made.get(higher);
  if (known !== undefined) return known;
  const words = new Set(higher.map(({ written }) => singleSpaced(written)));
  const isOverlaid = (word: string): boolean => words.has(word) || words.has(word.toLowerCase());
  const both = [...lower.filter(({ written }) => !isOverlaid(singleSpaced(written))), ...higher];
  made.set(higher, both);
  return both;
}

const space = 1;
const inWord = 2;
/** Class of a character of a script that is written without spaces. */
const alone = 4;

const kinds = new Map<string, number>();
/** More than any text needs; a hostile one has every code point. */
const mostKinds = 20_000;

function kindOf(character: string): number {
  const known = kinds.get(character);
  if (known !== undefined) return known;
  const kind =
    (whiteSpace.test(character) ? space : 0) |
    (wordCharacter.test(character) ? inWord : 0) |
    (isUnspaced(character) ? alone : 0);
  if (kinds.size === mostKinds) kinds.clear();
  kinds.set(character, kind);
  return kind;
}

/** A text as the search needs it. */
interface Characters {
  readonly characters: readonly string[];
  readonly kinds: Uint8Array;
  /** Whether a word may begin or end before the character; the end of the text is a boundary too. */
  readonly boundaries: Uint8Array;
}

/** Characters that are read between two steps. */
const charactersPerRead = 4096;

function* read(text: string): Steps<Characters> {
  const characters: string[] = [];
  const kinds = new Uint8Array(text.length);
  const boundaries = new Uint8Array(text.length + 1).fill(1);
  let before = 0;
  for (const character of text) {
    const at = characters.length;
    if (at % charactersPerRead === 0) yield;
    const kind = kindOf(character);
    if (before & kind & inWord && !((before | kind) & alone)) boundaries[at] = 0;
    characters.push(character);
    kinds[at] = before = kind;
  }
  return { characters, kinds, boundaries };
}

function* lowered({ characters, ...others }: Characters): Steps<Characters> {
  const lower: string[] = [];
  for (const character of characters) {
    if (lower.length % charactersPerRead === 0) yield;
    lower.push(character.toLowerCase());
  }
  return { ...others, characters: lower };
}

type RewriteSteps = (text: string) => Steps<string>;

const compiled = new WeakMap<Lexicon, RewriteSteps>();

/** Characters between two steps; each may be compared with all of an entry. */
const charactersPerStep = 200;

/**
 * @param entries unchanged afterwards: the result is kept for the same array
 * @returns a function that rewrites a text in steps, in time linear in its length, whatever the number of entries; what it puts
 * in is not looked up again, and tags and phonemes of the text stay
 */
export function lexiconSteps(entries: Lexicon): RewriteSteps {
  const known = compiled.get(entries);
  if (known !== undefined) return known;
  const exact = newNode(0);
  const folded = newNode(0);
  for (const { written, spoken } of entries) {
    const word = { written: singleSpaced(written), spoken };
    if (word.written !== '') (hasCapitals(written) ? exact : folded).words.push(word);
  }

  function* rewrite(text: string): Steps<string> {
    const own = yield* read(text);
    const { characters, boundaries } = own;
    const lower = yield* lowered(own);
    let rewritten = '';
    let copied = 0;
    let seen = 0;
    for (let at = 0; at < characters.length; ) {
      seen += 1;
      if (seen % charactersPerStep === 0) yield;
      const found = boundaries[at] ? longer(longestMatch(exact, own, at), longestMatch(folded, lower, at)) : undefined;
      if (found === undefined) {
        at += 1;
        continue;
      }
      rewritten += characters.slice(copied, at).join('') + found.spoken;
      at = copied = found.end;
    }
    return copied === 0 ? text : rewritten + characters.slice(copied).join('');
  }
  const whole: RewriteSteps = (text) => aroundMarkup(text, rewrite);
  compiled.set(entries, whole);
  return whole;
}

interface Match {
  readonly end: number;
  readonly spoken: string;
}

function longestMatch(root: Node, { characters, kinds, boundaries }: Characters, start: number): Match | undefined {
  let node = root;
  let match: Match | undefined;
  let at = start;
  while (at < characters.length && (node.words.length > 0 || node.next !== undefined)) {
    const isSpace = kinds[at] === space;
    node.next ??= grow(node);
    const next = node.next.get(isSpace ? ' ' : (characters[at] as string));
    if (next === undefined) return match;
    node = next;
    at += 1;
    if (isSpace) while (kinds[at] === space) at += 1;
    if (node.spoken !== undefined && boundaries[at]) match = { end: at, spoken: node.spoken };
  }
  return match;
}

/** The exact one where both are as long. */
const longer = (exact: Match | undefined, folded: Match | undefined): Match | undefined =>
  (exact?.end ?? 0) >= (folded?.end ?? 0) ? (exact ?? folded) : folded;
