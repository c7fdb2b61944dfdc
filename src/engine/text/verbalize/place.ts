/** How classes look at what follows a place in a text. */
import type { Cursor, Found, Place } from './language.ts';
import type { Semiotic } from './semiotic.ts';

export type { Cursor } from './language.ts';

/** Length of the text before a token that may determine its class. */
export const reachBefore = 48;

/** Reads what a sticky pattern matches next, if it does. */
export function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.text);
  if (match === null) return undefined;
  cursor.at += match[0].length;
  return match;
}

/** Whether a sticky pattern matches at a place. */
export function isNext(text: string, at: number, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

const digitOrSpace = /[\d\s]/;
/** Whether a word or a sign comes right before, rather than another number. */
export function isBehindWord({ before }: Place): boolean {
  const last = before.at(-1) ?? ' ';
  return !digitOrSpace.test(last) || (/\s/.test(last) && !digitOrSpace.test(before.at(-2) ?? ' '));
}

interface LastWords {
  readonly words: ReadonlySet<string>;
  /** May stand between these and the place. */
  readonly between: ReadonlySet<string>;
}
const lastWords = new WeakMap<RegExp, LastWords>();
const lastWord = /\p{L}{1,20}(?=[^\p{L}]{0,8}$)/u;
const anyWord = /\p{L}{1,20}/gu;

/** A pattern that matches only behind certain words, in lower case, by which it is passed over elsewhere. */
export function behindWords(pattern: RegExp, words: Iterable<string>, between: Iterable<string> = []): RegExp {
  lastWords.set(pattern, { words: new Set(words), between: new Set(between) });
  return pattern;
}

function mayBeBehind(before: string, { words, between }: LastWords): boolean {
  const last = wordBefore(before);
  if (words.has(last) || !between.has(last)) return words.has(last);
  return before.match(anyWord)?.some((word) => words.has(word.toLowerCase())) ?? false;
}

/** The last letters before a place, in lower case. */
function wordBefore(before: string): string {
  let end = before.length;
  while (end > 0 && end > before.length - 9 && before.charCodeAt(end - 1) < 65) end -= 1;
  return lastWord.exec(before.slice(Math.max(0, end - 20)))?.[0].toLowerCase() ?? '';
}

/** Patterns turned around, by themselves and by their source, as some are written where they are used. */
const backwards = new WeakMap<RegExp, RegExp>();
const bySource = new Map<string, RegExp>();
function backward(pattern: RegExp): RegExp {
  const known = backwards.get(pattern);
  if (known !== undefined) return known;
  const key = `${pattern.flags}/${pattern.source}`;
  const turned = bySource.get(key) ?? new RegExp(`(?<=${pattern.source})`, `${pattern.flags}y`);
  bySource.set(key, turned);
  backwards.set(pattern, turned);
  return turned;
}

/**
 * Whether the text before a place matches a pattern that ends with `$`. Looks backwards from there, where the pattern alone
 * would try every place before.
 */
export function isBehind({ before }: Place, pattern: RegExp | undefined): boolean {
  if (pattern === undefined) return false;
  const words = lastWords.get(pattern);
  if (words !== undefined && !mayBeBehind(before, words)) return false;
  return isNext(before, before.length, backward(pattern));
}

export const cursorAt = ({ text, start }: Place): Cursor => ({ text, at: start });
export const foundAt = (cursor: Cursor, meaning: Semiotic): Found => ({ end: cursor.at, meaning });
/** A token that is said as these words, whatever it is. */
export const wordsOf = (spoken: string): { readonly kind: 'words'; readonly spoken: string } => ({
  kind: 'words',
  spoken,
});
