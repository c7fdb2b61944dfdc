/** How classes look at what follows a place in a text. */
import { foreignStarters, sentenceStarters } from '../periods.ts';
import type { Beginning, Cursor, Found, Place, Semiotic, SemioticClass } from './language.ts';

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

/** Reads from a cursor, which stays where it was if there is nothing. */
export function attempt<Result>(cursor: Cursor, read: () => Result | undefined): Result | undefined {
  const { at } = cursor;
  const result = read();
  if (result === undefined) cursor.at = at;
  return result;
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
  return isNext(before, before.length, backward(pattern));
}

/** The end of a text or a paragraph, or of a quotation. */
const sentenceEnd = /\s*$|["')\]]{1,2}\s/uy;
const nextWord = /\s+["'“‘(]?(\p{Lu}[\p{L}'’]{0,30})/uy;

/** Whether the period of an abbreviation also ends its sentence, so that it stays when the abbreviation is written out. */
export function endsSentence(text: string, end: number, certainty: 'any capital' | 'typical word'): boolean {
  if (isNext(text, end, sentenceEnd)) return true;
  const word = take({ text, at: end }, nextWord)?.[1];
  if (word === undefined) return false;
  if (certainty === 'any capital') return true;
  const lower = word.toLowerCase().replace('’', "'");
  return sentenceStarters.has(lower) || foreignStarters.has(lower);
}

/** Values by their context: the first whose patterns match what comes before and behind, if it has such. */
export const inContext =
  <Value>(...rows: readonly (readonly [value: Value, before?: RegExp | undefined, behind?: RegExp | undefined])[]) =>
  (place: Place, end: number): Value | undefined =>
    rows.find(
      ([, before, behind]) =>
        (before === undefined || isBehind(place, before)) && (behind === undefined || isNext(place.text, end, behind)),
    )?.[0];

export const cursorAt = ({ text, start }: Place): Cursor => ({ text, at: start });

/** Meaning of a token, or the words as which it is said, whatever it is. */
export type Meaning = Semiotic | string | undefined;
/** @param meaning of what the cursor has passed */
export const foundAt = (cursor: Cursor, meaning: Semiotic | string): Found => ({
  end: cursor.at,
  meaning: typeof meaning === 'string' ? { kind: 'words', spoken: meaning } : meaning,
});

/** Where a class of tokens may match. A beginning alone is enough for most. */
type Where =
  | Beginning
  | (Omit<SemioticClass, 'find'> & {
      /** Matches the text before the token: ends with `$`. */
      readonly behind?: RegExp;
      /** Whether the token may stand right behind a letter or a digit; if left out, a sign may. */
      readonly isGlued?: boolean;
    });

/** Moves the cursor behind a token, and returns its meaning; undefined for what is none. */
type Reading = (cursor: Cursor, place: Place) => Meaning;

/** @param readings of which the first that finds something counts */
export function tokenClass(given: Where, ...readings: readonly Reading[]): SemioticClass {
  const read = firstOf(...readings);
  const where = typeof given === 'string' ? { begins: given } : given;
  const { behind, isGlued = where.begins === 'sign', ...rest } = where;
  return {
    ...rest,
    find(place, cursor) {
      if ((!isGlued && !place.isBorder) || (behind !== undefined && !isBehind(place, behind))) return undefined;
      const meaning = read(cursor, place);
      return meaning === undefined ? undefined : foundAt(cursor, meaning);
    },
  };
}

/**
 * Reads what one pattern finds.
 *
 * @param pattern sticky, without a match of unbounded length
 * @param mean of a match; undefined for one that is no such token. The cursor is behind the match, and may be moved on.
 */
export const reading =
  (pattern: RegExp, mean: (match: RegExpExecArray, place: Place, cursor: Cursor) => Meaning): Reading =>
  (cursor, place) => {
    const match = take(cursor, pattern);
    return match && mean(match, place, cursor);
  };

/** The first of several readings from the same place that finds something. */
export const firstOf =
  (...readings: readonly Reading[]): Reading =>
  (cursor, place) => {
    const { at } = cursor;
    for (const read of readings) {
      cursor.at = at;
      const meaning = read(cursor, place);
      if (meaning !== undefined) return meaning;
    }
    return undefined;
  };

/** A class of tokens that one pattern finds. */
export const patternClass = (where: Where, ...found: Parameters<typeof reading>): SemioticClass =>
  tokenClass(where, reading(...found));
