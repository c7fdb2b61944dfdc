/** Years, eras and decades. */
import { digitsEnd } from '../follow.ts';
import type { Place, SemioticClass } from '../language.ts';
import { attempt, endsSentence, isNext, patternClass, take, tokenClass } from '../place.ts';
import { isYear, sayTo } from './dates.ts';

const shortYear = /['’](\d\d)(?!['’\p{L}\d]|[.,]\d|%)/uy;

/** `'55` of a year, but not of an amount in quotation marks. */
export const shortYears = patternClass(
  { begins: 'sign', signs: "'’", behind: /(?:^|[\s(–-])$/ },
  shortYear,
  ([, first = '']) => ({ kind: 'year', first }),
);

const era = /[ \u00a0]?(B\.? ?C\.? ?E\.?|B\.? ?C\.?|C\.? ?E\.?|A\.? ?D\.?)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy;
const eraFirst = /(A\.? ?D\.?|B\.?C\.?)[ \u00a0](\d{1,4})(?!\d|[.,]\d)/y;
const yearRange =
  /(\d{3,4})[ \u00a0]?[-–—~][ \u00a0]?(\d{2,4})(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d]|[-–—.,/:]\d|%)/uy;

/** Letters of an era one by one, with the period of a sentence that they end. */
const sayEra = (written: string): string => written.replace(/[. ]/g, '');

/** Years recognized by their context: `1939-45`, `44 B.C.`, `in 1066`. */
export const years = tokenClass(
  { begins: 'digit letter', beginsWith: (word) => word === 'A' || word === 'AD' || word === 'B', isCapital: true },
  (cursor, place) => {
    const length = digitsEnd(place.text, place.start) - place.start;
    if (length === 0) {
      const [, eraBefore, of] = take(cursor, eraFirst) ?? [];
      return eraBefore === undefined || of === undefined
        ? undefined
        : { kind: 'year', first: of, era: sayEra(eraBefore), eraPlace: 'before' };
    }
    if (length > 4 || (length < 3 && !isNext(place.text, place.start + length, era))) return undefined;
    // `2023/24`
    const [, start, next] = take(cursor, season) ?? [];
    if (start !== undefined && next !== undefined && (Number(start) + 1) % 100 === Number(next))
      return { kind: 'year', first: start, last: next };
    cursor.at = place.start;
    const [, first, last] = take(cursor, yearRange) ?? [];
    const rangeEnd = cursor.at;
    if (first !== undefined && last !== undefined) {
      const [, behind] = take(cursor, era) ?? [];
      if (behind !== undefined) return { kind: 'year', first, last, era: sayEra(behind), eraPlace: 'after' };
      const full = last.length === 4 ? last : first.slice(0, 4 - last.length) + last;
      const isRange = isYear(first) && isYear(full) && Number(first) < Number(full);
      if (isRange && last.length !== 3 && place.language.isYear?.(place, rangeEnd, full) !== false) {
        return { kind: 'year', first, last };
      }
      cursor.at = place.start;
    }
    const [digits] = take(cursor, /\d{1,4}(?!\d|[.,]\d)/y) ?? [];
    if (digits === undefined) return undefined;
    const end = cursor.at;
    const [written = '', behind] = take(cursor, era) ?? [];
    if (behind !== undefined && !/^[CA]\.?$/.test(behind)) {
      if (written.endsWith('.') && endsSentence(place.text, cursor.at, 'typical word')) cursor.at -= 1;
      return { kind: 'year', first: digits, era: sayEra(behind), eraPlace: 'after' };
    }
    cursor.at = end;
    if (digits.length !== 4 || isNext(place.text, end, /[-–/:]\d|[\p{L}_%]/uy)) return undefined;
    return place.language.isYear?.(place, end, digits) === true ? { kind: 'year', first: digits } : undefined;
  },
);

const season = /((?:19|20)\d\d)\/(\d\d)(?![\d/]|[.,]\d|%)/y;

/** How a language writes and says decades. */
export interface Decades {
  /** A sticky pattern of digits and a suffix. */
  readonly pattern: RegExp;
  /** The number and the suffix, if left out. */
  readonly say?: (digits: string, suffix: string, place: Place) => string | undefined;
}

/** Decades as a language marks them: `1990-х`, `80er`, `2020-talet`. */
export const decadesWith = ({ pattern, say }: Decades): SemioticClass =>
  tokenClass({ begins: 'digit sign' }, (cursor, place) => {
    const next = (): string | undefined => {
      const at = { ...place, start: cursor.at };
      const [, digits, suffix = ''] = take(cursor, pattern) ?? [];
      if (digits === undefined) return undefined;
      return say === undefined ? place.language.sayNumeral({ whole: digits }) + suffix : say(digits, suffix, at);
    };
    const first = next();
    if (first === undefined) return undefined;
    const end = cursor.at;
    const last = attempt(cursor, () => take(cursor, decadeRange) && next());
    return last === undefined ? first : `${first}${sayTo(place, end)}${last}`;
  });
const decadeRange = / ?[-–—] ?(?=['’]?\d)/y;
