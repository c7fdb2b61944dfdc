/** Reads numbers as they are written in the languages of the world: with points, commas, spaces and apostrophes. */
import { tableOf } from '../table.ts';
import { followOf, isDigitAt } from './follow.ts';
import type { Amount, Language, Numeral, Place, Sign } from './language.ts';
import { attempt, type Cursor, endsSentence, isNext, take } from './place.ts';

const digits = /\d{1,40}/y;
const pointFraction = /\.(\d{1,40})(?!\d|[.,]\d)/y;
const commaFraction = /,(\d{1,40})(?!\d|[.,]\d)/y;
const bareFraction = /\.(\d{1,40})(?!\d|\.\d)/y;

/** Groups of thousands behind one of one to three digits, and the fraction that may follow; not the first digits of a longer number. */
type Grouping = readonly [pattern: RegExp, fraction: RegExp];
const bySpaces = (fraction: RegExp): readonly Grouping[] => [
  [/[1-9]\d{0,2}(?:[\u00a0\u2009\u202f]\d{3}){1,12}(?!\d)/y, fraction],
  [/[1-9]\d{0,2}(?: \d{3}){1,12}(?![\d])(?! \d{1,2}(?!\d)| \d{4})/y, fraction],
  // As in India.
  [/\d{1,2}(?:,\d{2}){1,6},\d{3}(?!\d)/y, pointFraction],
  [/\d{1,3}(?:['’]\d{3}){1,12}(?!\d)/y, pointFraction],
  [/\d{1,3}(?:_\d{3}){1,12}(?![\d_])/y, pointFraction],
];
const groupings: Readonly<Record<'.' | ',', readonly Grouping[]>> = {
  '.': [
    [/\d{1,3}(?:,\d{3}){1,12}(?!\d)/y, pointFraction],
    [/\d{1,3}(?:\.\d{3}){2,12}(?!\d)/y, commaFraction],
    ...bySpaces(pointFraction),
  ],
  ',': [
    [/\d{1,3}(?:\.\d{3}){1,12}(?!\d)/y, commaFraction],
    [/\d{1,3}(?:,\d{3}){2,12}(?!\d)/y, pointFraction],
    ...bySpaces(commaFraction),
  ],
};
/** `1.234,50` in a language with decimal points, and `1,234.50` in one with decimal commas. */
const foreign: Readonly<Record<'.' | ',', RegExp>> = {
  '.': /(\d{1,3}(?:\.\d{3}){1,12}),(\d{1,2})(?!\d|[.,]\d)/y,
  ',': /(\d{1,3}(?:,\d{3}){1,12})\.(\d{1,2})(?!\d|[.,]\d)/y,
};

const withoutMarks = (text: string): string => text.replace(/\D/g, '');

/** Digits that nothing joins to others. */
const plainDigits = /\d{1,40}(?![\d_'’\u00a0\u2009\u202f]|[., ]\d)/y;

/** Reads a number without a sign. */
export function readNumeral(cursor: Cursor, { decimalMark }: Pick<Language, 'decimalMark'>): Numeral | undefined {
  const { text, at: start } = cursor;
  if (isNext(text, start, plainDigits)) {
    cursor.at = plainDigits.lastIndex;
    return { whole: text.slice(start, cursor.at) };
  }
  if (text[start] === '.') {
    const [, fraction] = take(cursor, bareFraction) ?? [];
    return fraction === undefined ? undefined : { whole: '', fraction };
  }
  const [, whole, cents] = take(cursor, foreign[decimalMark]) ?? [];
  if (whole !== undefined) return { whole: withoutMarks(whole), fraction: cents, grouped: true };
  for (const [pattern, fraction] of groupings[decimalMark]) {
    cursor.at = start;
    const [written] = take(cursor, pattern) ?? [];
    // `0.125` of a language with decimal commas is not 125.
    if (written === undefined || /^0./.test(written)) continue;
    const isSpaced = /\s/.test(written);
    // A version, as in `1.234.5`, or a list.
    if (!isSpaced && isNext(text, cursor.at, /[.,]\d/y) && !isNext(text, cursor.at, fraction)) continue;
    const other = fraction === pointFraction ? commaFraction : pointFraction;
    const [, rest] = take(cursor, fraction) ?? (isSpaced ? take(cursor, other) : undefined) ?? [];
    return { whole: withoutMarks(written), fraction: rest, grouped: true };
  }
  cursor.at = start;
  const [plain] = take(cursor, digits) ?? [];
  if (plain === undefined) return undefined;
  const [first, second] = decimalMark === '.' ? [pointFraction, commaFraction] : [commaFraction, pointFraction];
  const [, fraction] = take(cursor, first) ?? take(cursor, second) ?? [];
  return { whole: plain, fraction };
}

const signs = tableOf('-=-|−=-|–=-|+=+|±=±|~=~|～=~') as Readonly<Record<string, Sign>>;
const signBefore = /[-−–+±~～](?=[\d.])/y;

const chineseUnits = new Set('年月日号號点點时時分元岁');

/** A sign right before a number. */
export function readSign(cursor: Cursor): Sign | undefined {
  // Most have none, and `9点-17点` is a range.
  if (isDigitAt(cursor.text, cursor.at) || chineseUnits.has(cursor.text[cursor.at - 1] ?? '')) return undefined;
  const [sign] = take(cursor, signBefore) ?? [];
  return sign === undefined ? undefined : signs[sign];
}

const rangeSigns = '-‐‑‒–—~～〜.…';
const rangeMark =
  /[-‐‑‒–—~～〜](?=[-−]?[\d.])|[ \u00a0](?:[-‒–—~～〜]|\.\.\.?|…)[ \u00a0](?=[\d.])|\.\.\.?(?=\d)|…(?=\d)/y;
/** Something longer than a range follows, such as a telephone number, or a fraction is its end. */
const notLast = /[-‐‑‒–]\d|[ \u00a0]?[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]|(?:[ \u00a0]\d)?\/\d{1,2}(?![\d/])/uy;

/** Takes the mark between the numbers of a range, if one follows here; the cursor then is at the second number. */
export function takeRangeMark(cursor: Cursor): boolean {
  const next = cursor.text[cursor.at] ?? '';
  const mark = next === ' ' || next === '\u00a0' ? (cursor.text[cursor.at + 1] ?? '') : next;
  if (!rangeSigns.includes(mark) || mark === '') return false;
  if (!isNext(cursor.text, cursor.at, rangeMark)) return false;
  cursor.at = rangeMark.lastIndex;
  return true;
}

/** A dash a few characters behind a place, as behind the unit of a range's first number. */
const dashNear = /.{0,9}?[-‐‑‒–—~～〜]/sy;

/** Reads a number, or a range of two that are written alike. */
export function readAmount(cursor: Cursor, language: Language, between?: RegExp): Amount | undefined {
  const sign = readSign(cursor);
  const first = readNumeral(cursor, language);
  if (first === undefined) return undefined;
  const afterFirst = cursor.at;
  if (between !== undefined && isNext(cursor.text, afterFirst, dashNear)) take(cursor, between);
  if (takeRangeMark(cursor)) {
    const lastSign = readSign(cursor);
    const last = readNumeral(cursor, language);
    if (last !== undefined && !isNext(cursor.text, cursor.at, notLast)) return { sign, first, last, lastSign };
  }
  cursor.at = afterFirst;
  return { sign, first };
}

/** Signs that a number may begin with. */
export const numberSigns = '-−–+±~～.';

/** Whether a word multiplies the number before it. */
export const isMagnitude = (word: string, { magnitudes }: Language): boolean =>
  magnitudes.has(word) || magnitudes.has(word.toLowerCase());

export const numberOf = ({ whole, fraction }: Numeral): number =>
  Number(`${whole === '' ? '0' : whole}.${fraction ?? '0'}`);

/** Whether exactly one is counted. */
export const isOne = ({ first, last, magnitude }: Amount): boolean =>
  last === undefined && magnitude === undefined && first.whole === '1' && first.fraction === undefined;

/** `3 mln. EUR` */
const code = /\s\p{Lu}{2,4}(?!\p{L})/uy;

/** Words between a number and what is counted: `3.5 million`. The period of a sentence stays behind them. */
export function readMagnitude(
  cursor: Cursor,
  within: RegExp,
  { capitalizesNouns }: Language,
  magnitudes: ReadonlyMap<string, string>,
): string | undefined {
  const { text, at: start } = cursor;
  const [, word = ''] = take(cursor, within) ?? [];
  const magnitude = magnitudes.get(word) ?? magnitudes.get(word.toLowerCase());
  if (magnitude === undefined) cursor.at = start;
  else if (text[cursor.at - 1] === '.') {
    // A whole word has no period of its own.
    const isWord = magnitude.split('|').includes(word.toLowerCase());
    const isEnd =
      isWord ||
      (endsSentence(text, cursor.at, capitalizesNouns ? 'typical word' : 'any capital') &&
        !isNext(text, cursor.at, code));
    if (isEnd) cursor.at -= 1;
  }
  return magnitude;
}
const isAfterName = /\p{L}-$/u;
/** `30万km`: a unit may follow. */
export const magnitudeWord =
  /[ \u00a0]?(\p{sc=Han}{1,3}(?=[a-zA-Z㎡㎞])|[\p{L}\p{M}]{1,16}(?=\.?(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{M}\d])))\.?/uy;

/** A number, or a range, with a magnitude. */
export function readCounted(cursor: Cursor, place: Place, between?: RegExp): Amount | undefined {
  const amount = readAmount(cursor, place.language, between);
  if (amount === undefined) return undefined;
  const end = cursor.at;
  // `Llama-3-8` is no range.
  if (amount.last !== undefined && isAfterName.test(place.before)) {
    cursor.at = place.start;
    const first = readNumeral(cursor, place.language);
    return first === undefined ? undefined : { first };
  }
  const follow = followOf(cursor.text, end);
  if (follow !== 'word' && follow !== 'letter') return amount;
  const magnitude = readMagnitude(cursor, magnitudeWord, place.language, place.language.magnitudes);
  if (magnitude === undefined) return amount;
  // `10k-20k`
  const last = attempt(cursor, () => {
    const number = amount.last === undefined && takeRangeMark(cursor) ? readNumeral(cursor, place.language) : undefined;
    const again = number && readMagnitude(cursor, magnitudeWord, place.language, place.language.magnitudes);
    return again === magnitude ? number : undefined;
  });
  return { ...amount, last: amount.last ?? last, magnitude };
}

const equationBehind = /[ \u00a0]?(?:[-−+×÷*/][ \u00a0]?\d{1,20}(?:[.,]\d{1,20})?[ \u00a0]?){0,4}=/y;
const equationBefore = /[=+×÷*/] ?$/;

/** Whether a `-` between two numbers is a minus. */
export const isEquation = ({ text, before }: Place, end: number): boolean =>
  isNext(text, end, equationBehind) || equationBefore.test(before);
