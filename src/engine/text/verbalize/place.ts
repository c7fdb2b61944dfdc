/** How classes look at what follows a place in a text. */
import type { Found, Place } from './language.ts';
import type { Semiotic } from './semiotic.ts';

/** Length of the text before a token that may determine its class. */
export const reachBefore = 48;

/** A place from which a class reads on. */
export interface Cursor {
  readonly text: string;
  at: number;
}

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

const wordBefore = /(?<=[^\d\s]\s?)/y;
/** Whether a word or a sign stands right before, rather than another number. */
export const isBehindWord = ({ before }: Place): boolean => isNext(before, before.length, wordBefore);

const backwards = new WeakMap<RegExp, RegExp>();

/**
 * Whether what stands before a place matches a pattern that ends with `$`. Looks backwards from there, where the pattern alone
 * would try every place before.
 */
export function isBehind({ before }: Place, pattern: RegExp | undefined): boolean {
  if (pattern === undefined) return false;
  const behind = backwards.get(pattern) ?? new RegExp(`(?<=${pattern.source})`, `${pattern.flags}y`);
  backwards.set(pattern, behind);
  return isNext(before, before.length, behind);
}

export const cursorAt = ({ text, start }: Place): Cursor => ({ text, at: start });
export const foundAt = (cursor: Cursor, meaning: Semiotic): Found => ({ end: cursor.at, meaning });
/** What is said as these words, whatever it is. */
export const wordsOf = (spoken: string): { readonly kind: 'words'; readonly spoken: string } => ({
  kind: 'words',
  spoken,
});
