/** A place in a text where a token begins, and how classes look at what follows. */
import type { Language } from './language.ts';
import type { Semiotic } from './semiotic.ts';

export interface Place {
  readonly text: string;
  readonly start: number;
  readonly language: Language;
  /** A few characters before it. */
  readonly before: string;
  /** Whether no letter or digit stands right before it. */
  readonly isBorder: boolean;
  /** The run of words in capitals that was last looked at. */
  readonly run: { readonly end: number; readonly isWords: boolean };
}

export interface Found {
  readonly end: number;
  readonly meaning: Semiotic;
}

/** A kind of token: where it may begin, and what it means there. */
export interface SemioticClass {
  readonly name: string;
  readonly begins: readonly ('digit' | 'letter' | 'sign')[];
  /** Looks ahead by a bounded length, or consumes what it looks at, so that a text takes linear time. */
  readonly find: (place: Place) => Found | undefined;
}

/** How much text before a token tells what it is. */
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
