/** Cardinals, decimals, negative numbers and ranges; ordinals, fractions, percentages, multipliers and ratios. */

import { tableOf } from '../../table.ts';
import { digitsEnd } from '../follow.ts';
import type { Found, Place, SemioticClass } from '../language.ts';
import { isEquation, numberSigns, readAmount, readCounted, readNumeral, readSign, takeRangeMark } from '../numerals.ts';
import { cursorAt, foundAt, isNext, patternClass, take } from '../place.ts';
import { isAlternative } from './between-values.ts';
import { abbreviationPeriod, isQuoted, readUnit } from './measures.ts';

const longDigits = /\d{16,}/y;
const plusSign = 43;
export const cardinals: SemioticClass = {
  begins: ['digit', 'sign'],
  signs: numberSigns,
  find(place, cursor) {
    const code = place.text.charCodeAt(place.start);
    const isDigit = code >= 48 && code <= 57;
    if (isDigit && take(cursor, longDigits) !== undefined) {
      return foundAt(cursor, { kind: 'digits', groups: [place.text.slice(place.start, cursor.at)] });
    }
    if (!place.isBorder && !isDigit) return undefined;
    // `C++17`
    if (code === plusSign && place.before.endsWith('+')) return undefined;
    let amount = readCounted(cursor, place);
    if (amount === undefined) return undefined;
    if (amount.last !== undefined && isEquation(place, cursor.at)) {
      cursor.at = place.start;
      const sign = readSign(cursor);
      const first = readNumeral(cursor, place.language);
      if (first === undefined) return undefined;
      amount = { sign, first };
    }
    if (!place.isBorder) {
      // `i7-9700K` is no range.
      cursor.at = place.start;
      const number = readNumeral(cursor, place.language);
      return number === undefined ? undefined : foundAt(cursor, { kind: 'code', number });
    }
    return foundAt(cursor, { kind: 'cardinal', amount });
  },
};

const item = /(\d{1,3})(?:\)(?=\s+\p{L})|(）)(?=\s*\p{L}))/uy;
const isInParentheses = (before: string): boolean => before.lastIndexOf('(') > before.lastIndexOf(')');

/** `1) First 2) Second`: the number of an item is said apart from it. */
export const itemNumbers = patternClass(
  { begins: ['digit'], digitsBefore: ['sign'], behind: /(?:^|[\s，；。：])$/ },
  item,
  ([, whole = '', isWide], { before, language }) =>
    isInParentheses(before) ? undefined : `${language.sayNumeral({ whole })}${isWide ? '，' : ','}`,
);

const percentOnly = /[ \u00a0\u202f]?%/y;
const percentSign = /[ \u00a0\u202f]?([%٪％‰])/y;
/** `100 %1,5` of Turkish, where the sign comes first. */
const ofNext = /[ \u00a0]?%\d/y;

export const percentages: SemioticClass = {
  begins: ['digit', 'sign'],
  signs: `${numberSigns}%‰`,
  numberBefore: ['sign', 'mark', 'hyphen'],
  find(place, cursor) {
    const isFirst = place.text[place.start] === '%' || place.text[place.start] === '‰';
    const before = isFirst ? take(cursor, /[%‰](?=\d)/y)?.[0] : undefined;
    if (before !== undefined) {
      const percentage = place.language.percentFirst ? readAmount(cursor, place.language) : undefined;
      return percentage === undefined
        ? undefined
        : foundAt(cursor, { kind: 'percent', amount: percentage, mark: before });
    }
    const amount = readAmount(cursor, place.language, /[ \u00a0\u202f]?[%％‰](?=[ \u00a0]?[-‐‑‒–—~～〜])/y);
    if (place.language.percentFirst && isNext(place.text, cursor.at, ofNext)) return undefined;
    const [, mark] = take(cursor, percentSign) ?? [];
    if (amount === undefined || mark === undefined || !place.isBorder) return undefined;
    return foundAt(cursor, { kind: 'percent', amount, mark });
  },
};

/** `4x faster`, `5x/week`, `1.5×`; but not `4x4` or `0x1F`. */
const timesSign =
  /[ \u00a0]?×(?![ \u00a0]?\d)|[xX](?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}_-]| ?[-+=^*]| ?\/(?!\p{L}{2}))/uy;

export const multipliers: SemioticClass = {
  begins: ['digit', 'sign'],
  signs: numberSigns,
  numberBefore: ['letter', 'sign', 'mark', 'hyphen'],
  find(place, cursor) {
    const amount = readAmount(cursor, place.language, /[xX×](?=[-–])/y);
    if (amount === undefined || !place.isBorder || take(cursor, timesSign) === undefined) return undefined;
    // `5800X` is a model.
    if (place.text[cursor.at - 1] === 'X' && amount.first.whole.length > 3) return undefined;
    return foundAt(cursor, { kind: 'multiplier', amount });
  },
};

const colon = /[ \u00a0]?[:：∶][ \u00a0]?(?=\d)/y;

export const ratios: SemioticClass = {
  begins: ['digit'],
  numberBefore: ['colon', 'mark'],
  find(place, cursor) {
    const numbers = [];
    for (let next = readNumeral(cursor, place.language); next !== undefined && numbers.length < 6; ) {
      numbers.push(next);
      next = take(cursor, colon) === undefined ? undefined : readNumeral(cursor, place.language);
    }
    if (numbers.length < 2 || !place.isBorder || isNext(place.text, cursor.at, /[:：]/y)) return undefined;
    return foundAt(cursor, { kind: 'ratio', numbers });
  },
};

const fractionSigns = tableOf(
  '½=1/2|⅓=1/3|⅔=2/3|¼=1/4|¾=3/4|⅕=1/5|⅖=2/5|⅗=3/5|⅘=4/5|⅙=1/6|⅚=5/6|⅐=1/7|⅛=1/8|⅜=3/8|⅝=5/8|⅞=7/8|⅑=1/9|⅒=1/10',
);
const fractionSign = new RegExp(`[ \\u00a0-]?([${Object.keys(fractionSigns).join('')}])(?!\\d)`, 'uy');
const slash = /(\d{1,6})[/⁄∕](\d{1,6})(?:(?:th|rd|nd|TH|RD|ND)s?(?!\p{L}))?(?![\d/⁄.,]?\d|[/⁄])/uy;
const mixedSlash =
  /(\d{1,6})(?:[ \u00a0-]| (?:and|und|et|y|e|och|og|en|i|и|ja|ve|और|و) |[과와] ?| ?و ?)(\d{1,3})[/⁄∕](\d{1,3})(?:(?:th|TH)s?(?!\p{L}))?(?![\d/⁄.,]?\d|[/⁄])/uy;

const rating = /(\d{1,3}[.,]\d{1,2})\/(\d{1,3})(?![\d/]|[.,]\d)/y;

export const fractions: SemioticClass = {
  begins: ['digit', 'sign'],
  signs: `${numberSigns}%${Object.keys(fractionSigns).join('')}`,
  counts: (word) => /^(?:and|und|et|y|e|och|og|en|i|ja|ve)$/.test(word),
  digitsBefore: ['slash', 'sign', 'mark', 'hyphen', 'digits', 'group', 'word', 'letter', 'number'],
  find(place) {
    // `%1/2` of Turkish
    const isPercent = place.text[place.start] === '%' && place.language.percentFirst === true;
    const found = findFraction(isPercent ? { ...place, start: place.start + 1 } : place);
    if (found === undefined || found.meaning.kind !== 'fraction') return found;
    if (isPercent) return { ...found, meaning: { ...found.meaning, unit: { of: { id: 'percent' } } } };
    const cursor = { text: place.text, at: found.end };
    // `1/4"`
    const inch = take(cursor, /["″](?![\p{L}\d])/uy);
    if (inch !== undefined)
      return isQuoted(place) ? found : foundAt(cursor, { ...found.meaning, unit: { of: { id: 'inch' } } });
    if (take(cursor, percentOnly) !== undefined)
      return foundAt(cursor, { ...found.meaning, unit: { of: { id: 'percent' } } });
    const unit = readUnit(cursor, place.language);
    if (unit === undefined) return found;
    if (/\p{L}/u.test(place.text[cursor.at - 1] ?? '')) take(cursor, abbreviationPeriod);
    return foundAt(cursor, { ...found.meaning, unit });
  },
};

const fractionBehind =
  /[ \u00a0]?[-–—~～][ \u00a0]?(?=\d{0,3}(?:[ \u00a0]?[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]|(?:[ \u00a0]\d)?\/\d{1,2}(?![\d/])))/uy;
const numberBehind = /[ \u00a0]?[-–—~～][ \u00a0]?(?=\d)/y;

/** Between a number and a fraction: `1–1½ hrs`, `1/4-1/2 cup`. */
export const fractionRanges: SemioticClass = {
  begins: ['sign'],
  signs: '-–—~～',
  find(place, cursor) {
    const isFraction = /(?:[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]|(?<!\d)\d{1,2}\/\d{1,2})[ \u00a0]?$/u.test(place.before);
    if (isFraction ? take(cursor, numberBehind) === undefined : !/\d[ \u00a0]?$/.test(place.before)) return undefined;
    if (!isFraction && take(cursor, fractionBehind) === undefined) return undefined;
    return foundAt(cursor, { kind: 'operator', sign: 'to' });
  },
};

function findFraction(place: Place): Found | undefined {
  const cursor = cursorAt(place);
  if (!place.isBorder) return undefined;
  const sign = readSign(cursor);
  const afterSign = cursor.at;
  const end = digitsEnd(place.text, afterSign);
  const isSlash = '/⁄∕'.includes(place.text[end] ?? ' ');
  const [, whole, above = '', below = ''] = isSlash ? [] : (take(cursor, mixedSlash) ?? []);
  // `1 3/4` and not `12 13/14`: the part is less than one.
  const isPart = Number(above) < Number(below) || (/^[1-9]$/.test(above) && below === '2');
  if (whole !== undefined && isPart) {
    return foundAt(cursor, { kind: 'fraction', sign, whole, above, below });
  }
  cursor.at = afterSign;
  if (isSlash && sign === undefined && (/(?:\p{L}-|\d\/)$/u.test(place.before) || isAlternative(place)))
    return undefined;
  const [, upper, lower] = isSlash ? (take(cursor, slash) ?? []) : [];
  // All day and all week.
  if (upper !== undefined && /^(?:24\/7|7\/24)$/.test(place.text.slice(place.start, cursor.at)))
    return foundAt(cursor, [upper, lower].map((whole = '') => place.language.sayNumeral({ whole })).join(' '));
  if (upper !== undefined && lower !== undefined) {
    return foundAt(cursor, { kind: 'fraction', sign, above: upper, below: lower });
  }
  const isDecimal = place.text[end] === '.' || place.text[end] === ',';
  const [, rated = '', best] = isDecimal ? (take(cursor, rating) ?? []) : [];
  if (best !== undefined) {
    const [units = '', fraction] = rated.split(/[.,]/);
    return foundAt(cursor, { kind: 'ratio', numbers: [{ whole: units, fraction }, { whole: best }], of: 'rating' });
  }
  const [digits] = take(cursor, /\d{1,12}/y) ?? [];
  const [, mark = ''] = take(cursor, fractionSign) ?? [];
  const [part = '', parts] = fractionSigns[mark]?.split('/') ?? [];
  return parts === undefined
    ? undefined
    : foundAt(cursor, { kind: 'fraction', sign, whole: digits, above: part, below: parts });
}

/** Ordinals by what is written behind their digits. */
export const ordinalsWith = (suffix: RegExp): SemioticClass => ({
  begins: ['digit'],
  numberBefore: ['letter', 'sign', 'hyphen', 'point', 'mark', 'colon'],
  find(place, cursor) {
    if (!place.isBorder) return undefined;
    const read = (): string | undefined => {
      const numeral = readNumeral(cursor, place.language);
      return numeral === undefined || numeral.fraction !== undefined ? undefined : numeral.whole;
    };
    const first = read();
    if (first === undefined) return undefined;
    const firstMark = take(cursor, suffix);
    const end = cursor.at;
    if (takeRangeMark(cursor)) {
      const last = read();
      const mark = take(cursor, suffix);
      if (last !== undefined && mark !== undefined)
        return foundAt(cursor, { kind: 'ordinal', first, last, mark: mark[0] });
    }
    cursor.at = end;
    return firstMark === undefined ? undefined : foundAt(cursor, { kind: 'ordinal', first, mark: firstMark[0] });
  },
});
