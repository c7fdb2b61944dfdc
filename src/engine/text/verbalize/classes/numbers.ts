/** Cardinals, decimals, negative numbers and ranges; ordinals, fractions, percentages, multipliers and ratios. */
import { tableOf } from '../../table.ts';
import { digitsEnd } from '../follow.ts';
import type { Place, SemioticClass } from '../language.ts';
import { isEquation, numberSigns, readAmount, readCounted, readNumeral, readSign, takeRangeMark } from '../numerals.ts';
import { type Cursor, isNext, type Meaning, patternClass, take, tokenClass } from '../place.ts';
import { isAlternative } from './between-values.ts';
import { abbreviationPeriod, isQuoted, readUnit } from './measures.ts';

const longDigits = /\d{16,}/y;
const plusSign = 43;
export const cardinals = tokenClass({ begins: 'digit sign', signs: numberSigns, isGlued: true }, (cursor, place) => {
  const code = place.text.charCodeAt(place.start);
  const isDigit = code >= 48 && code <= 57;
  if (isDigit && take(cursor, longDigits) !== undefined) {
    return { kind: 'digits', groups: [place.text.slice(place.start, cursor.at)] };
  }
  // `오전10시`
  const isBorder = place.isBorder || (isDigit && /(?:오[전후]|새벽|아침|점심|저녁|밤|낮)$/u.test(place.before));
  if (!isDigit && !isBorder) return undefined;
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
  if (!isBorder) {
    // `i7-9700K` is no range.
    cursor.at = place.start;
    const number = readNumeral(cursor, place.language);
    return number === undefined ? undefined : { kind: 'code', number };
  }
  return { kind: 'cardinal', amount };
});

const item = /(\d{1,3})(?:\)(?=\s+\p{L})|(）)(?=\s*\p{L}))/uy;
const isInParentheses = (before: string): boolean => before.lastIndexOf('(') > before.lastIndexOf(')');

/** `1) First 2) Second`: the number of an item is said apart from it. */
export const itemNumbers = patternClass(
  { begins: 'digit', digitsBefore: ['sign'], behind: /(?:^|[\s，；。：])$/ },
  item,
  ([, whole = '', isWide], { before, language }) =>
    isInParentheses(before) ? undefined : `${language.sayNumeral({ whole })}${isWide ? '，' : ','}`,
);

const percentOnly = /[ \u00a0\u202f]?%/y;
const percentSign = /[ \u00a0\u202f]?([%٪％‰])/y;
/** `100 %1,5` of Turkish, where the sign comes first. */
const ofNext = /[ \u00a0]?%\d/y;

export const percentages = tokenClass(
  { begins: 'digit sign', signs: `${numberSigns}%‰`, numberBefore: ['sign', 'mark', 'hyphen'], isGlued: true },
  (cursor, place) => {
    const isFirst = place.text[place.start] === '%' || place.text[place.start] === '‰';
    const before = isFirst ? take(cursor, /[%‰](?=\d)/y)?.[0] : undefined;
    if (before !== undefined) {
      const percentage = place.language.percentFirst ? readAmount(cursor, place.language) : undefined;
      return percentage === undefined ? undefined : { kind: 'percent', amount: percentage, mark: before };
    }
    const amount = readAmount(cursor, place.language, /[ \u00a0\u202f]?[%％‰](?=[ \u00a0]?[-‐‑‒–—~～〜])/y);
    if (place.language.percentFirst && isNext(place.text, cursor.at, ofNext)) return undefined;
    const [, mark] = take(cursor, percentSign) ?? [];
    if (amount === undefined || mark === undefined || !place.isBorder) return undefined;
    return { kind: 'percent', amount, mark };
  },
);

/** `4x faster`, `5x/week`, `1.5×`; but not `4x4` or `0x1F`. */
const timesSign =
  /[ \u00a0]?×(?![ \u00a0]?\d)|[xX](?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}_-]| ?[-+=^*]| ?\/(?!\p{L}{2}))/uy;

export const multipliers = tokenClass(
  { begins: 'digit sign', signs: numberSigns, numberBefore: ['letter', 'sign', 'mark', 'hyphen'] },
  (cursor, place) => {
    const amount = readAmount(cursor, place.language, /[xX×](?=[-–])/y);
    if (amount === undefined || take(cursor, timesSign) === undefined) return undefined;
    // `5800X` is a model.
    if (place.text[cursor.at - 1] === 'X' && amount.first.whole.length > 3) return undefined;
    return { kind: 'multiplier', amount };
  },
);

const colon = /[ \u00a0]?[:：∶][ \u00a0]?(?=\d)/y;

export const ratios = tokenClass({ begins: 'digit', numberBefore: ['colon', 'mark'] }, (cursor, place) => {
  const numbers = [];
  for (let next = readNumeral(cursor, place.language); next !== undefined && numbers.length < 6; ) {
    numbers.push(next);
    next = take(cursor, colon) === undefined ? undefined : readNumeral(cursor, place.language);
  }
  if (numbers.length < 2 || isNext(place.text, cursor.at, /[:：]/y)) return undefined;
  return { kind: 'ratio', numbers };
});

const fractionSigns = tableOf(
  '½=1/2|⅓=1/3|⅔=2/3|¼=1/4|¾=3/4|⅕=1/5|⅖=2/5|⅗=3/5|⅘=4/5|⅙=1/6|⅚=5/6|⅐=1/7|⅛=1/8|⅜=3/8|⅝=5/8|⅞=7/8|⅑=1/9|⅒=1/10',
);
const fractionSign = new RegExp(`[ \\u00a0-]?([${Object.keys(fractionSigns).join('')}])(?!\\d)`, 'uy');
const slash = /(\d{1,15})[/⁄∕](\d{1,6})(?:(?:th|rd|nd|TH|RD|ND)s?(?!\p{L}))?(?![\d/⁄.,]?\d|[/⁄])/uy;
/** `1 / 2` of Chinese */
const spacedSlash = /(\d{1,2}) \/ (\d{1,2})(?![\d.,/]| \/)/y;
const mixedSlash =
  /(\d{1,6})(?:[ \u00a0-]| (?:and|und|et|y|e|och|og|en|i|и|ja|ve|और|و) |[과와] ?| ?و ?)(\d{1,3})[/⁄∕](\d{1,3})(?:(?:th|TH)s?(?!\p{L}))?(?![\d/⁄.,]?\d|[/⁄])/uy;

const rating = /(\d{1,3}[.,]\d{1,2})\/(\d{1,3})(?![\d/]|[.,]\d)/y;

export const fractions = tokenClass(
  {
    begins: 'digit sign',
    signs: `${numberSigns}%${Object.keys(fractionSigns).join('')}`,
    counts: (word) => /^(?:and|und|et|y|e|och|og|en|i|ja|ve)$/.test(word),
    digitsBefore: ['slash', 'sign', 'mark', 'hyphen', 'digits', 'group', 'word', 'letter', 'number'],
  },
  (cursor, place) => {
    // `%1/2` of Turkish
    const isPercent = place.text[place.start] === '%' && place.language.percentFirst === true;
    if (isPercent) cursor.at += 1;
    const meaning = readFraction(cursor, place);
    if (meaning === undefined || typeof meaning === 'string' || meaning.kind !== 'fraction') return meaning;
    const ofId = (id: string): Meaning => ({ ...meaning, unit: { of: { id } } });
    if (isPercent) return ofId('percent');
    const end = cursor.at;
    // `1/4"`
    if (take(cursor, /["″](?![\p{L}\d])/uy) !== undefined) {
      if (!isQuoted(place)) return ofId('inch');
      cursor.at = end;
      return meaning;
    }
    if (take(cursor, percentOnly) !== undefined) return ofId('percent');
    const unit = readUnit(cursor, place.language);
    if (unit !== undefined && /\p{L}/u.test(place.text[cursor.at - 1] ?? '')) take(cursor, abbreviationPeriod);
    return unit === undefined ? meaning : { ...meaning, unit };
  },
);

const fractionBehind =
  /[ \u00a0]?[-–—~～][ \u00a0]?(?=\d{0,3}(?:[ \u00a0]?[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]|(?:[ \u00a0]\d)?\/\d{1,2}(?![\d/])))/uy;
const numberBehind = /[ \u00a0]?[-–—~～][ \u00a0]?(?=\d)/y;

/** Between a number and a fraction: `1–1½ hrs`, `1/4-1/2 cup`. */
export const fractionRanges = tokenClass({ begins: 'sign', signs: '-–—~～' }, (cursor, place) => {
  const isFraction = /(?:[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]|(?<!\d)\d{1,2}\/\d{1,2})[ \u00a0]?$/u.test(place.before);
  if (isFraction ? take(cursor, numberBehind) === undefined : !/\d[ \u00a0]?$/.test(place.before)) return undefined;
  if (!isFraction && take(cursor, fractionBehind) === undefined) return undefined;
  return { kind: 'operator', sign: 'to' };
});

function readFraction(cursor: Cursor, place: Place): Meaning {
  const { text, language } = place;
  const start = cursor.at;
  const sign = readSign(cursor);
  const afterSign = cursor.at;
  const end = digitsEnd(text, afterSign);
  const isSlash = '/⁄∕'.includes(text[end] ?? ' ');
  const [, mixed, above = '', below = ''] = isSlash ? [] : (take(cursor, mixedSlash) ?? []);
  // `1 3/4` and not `12 13/14`: the part is less than one.
  const isPart = Number(above) < Number(below) || (/^[1-9]$/.test(above) && below === '2');
  if (mixed !== undefined && isPart) return { kind: 'fraction', sign, whole: mixed, above, below };
  cursor.at = afterSign;
  if (isSlash && sign === undefined && (/(?:\p{L}-|\d\/)$/u.test(place.before) || isAlternative({ ...place, start })))
    return undefined;
  const [, upper, lower] = isSlash
    ? (take(cursor, slash) ?? [])
    : language.spacing === 'none'
      ? (take(cursor, spacedSlash) ?? [])
      : [];
  // All day and all week.
  if (upper !== undefined && /^(?:24\/7|7\/24)$/.test(text.slice(start, cursor.at)))
    return [upper, lower].map((whole = '') => language.sayNumeral({ whole })).join(' ');
  if (upper !== undefined && lower !== undefined) return { kind: 'fraction', sign, above: upper, below: lower };
  const isDecimal = text[end] === '.' || text[end] === ',';
  const [, rated = '', best] = isDecimal ? (take(cursor, rating) ?? []) : [];
  if (best !== undefined) {
    const [units = '', fraction] = rated.split(/[.,]/);
    return { kind: 'ratio', numbers: [{ whole: units, fraction }, { whole: best }], of: 'rating' };
  }
  const [whole] = take(cursor, /\d{1,12}/y) ?? [];
  const [, mark = ''] = take(cursor, fractionSign) ?? [];
  const [part = '', parts] = fractionSigns[mark]?.split('/') ?? [];
  return parts === undefined ? undefined : { kind: 'fraction', sign, whole, above: part, below: parts };
}

/** Ordinals by what is written behind their digits. */
export const ordinalsWith = (suffix: RegExp): SemioticClass =>
  tokenClass(
    { begins: 'digit', numberBefore: ['letter', 'sign', 'hyphen', 'point', 'mark', 'colon'] },
    (cursor, { language }) => {
      const read = (): string | undefined => {
        const numeral = readNumeral(cursor, language);
        return numeral?.fraction === undefined ? numeral?.whole : undefined;
      };
      const first = read();
      if (first === undefined) return undefined;
      const [firstMark] = take(cursor, suffix) ?? [];
      const end = cursor.at;
      const last = takeRangeMark(cursor) ? read() : undefined;
      const [mark] = last === undefined ? [] : (take(cursor, suffix) ?? []);
      if (last !== undefined && mark !== undefined) return { kind: 'ordinal', first, last, mark };
      cursor.at = end;
      return firstMark === undefined ? undefined : { kind: 'ordinal', first, mark: firstMark };
    },
  );
