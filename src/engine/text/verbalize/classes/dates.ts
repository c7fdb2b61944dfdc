/** Dates in numbers and by names. */

import { digitsEnd } from '../follow.ts';
import type { Found, Language, Place, SemioticClass } from '../language.ts';
import { type Cursor, cursorAt, foundAt, isBehind, isNext, take } from '../place.ts';
import { endsSentence } from '../sentence-ends.ts';
import { isAlternative } from './between-values.ts';

const stop = /(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}_]|[-/]\d|[.,:]\d)/uy;
const ends = (cursor: Cursor): boolean => isNext(cursor.text, cursor.at, stop);
const isDay = (day: number): boolean => day >= 1 && day <= 31;
const isMonth = (month: number): boolean => month >= 1 && month <= 12;
export const isYear = (year: string): boolean => /^(?:1\d|20|21)\d\d$/.test(year);

const yearFirst =
  /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=T\d\d:|(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}_]|[-/:]\d|\.\d))/uy;
const yearLast =
  /(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?=г\.|(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}_]|[-/:]\d|[.,]\d))/uy;
const spacedYearLast = /(\d{1,2})\. (\d{1,2})\. (\d{4})(?!\d|[.,]\d)/y;

/** A year of two digits: within the last eighty years or the next twenty. */
const fullYear = (year: string): string => (year.length === 4 ? year : Number(year) < 45 ? `20${year}` : `19${year}`);

/** Words after a fraction. */
const partitive = /\s(?:of|de|des|da|do|di|del|della|dei|van)(?!\p{L})|\sd[’']/uy;

/** `08/2008` */
function readMonthOfYear(place: Place): Found | undefined {
  const cursor = cursorAt(place);
  const [, month, year] = take(cursor, /(0[1-9]|1[0-2])\/((?:19|20)\d\d)(?![\p{sc=Latn}\d/%]|[-.,]\d)/uy) ?? [];
  return year === undefined
    ? undefined
    : foundAt(cursor, { kind: 'date', year, month: Number(month), order: 'numeric' });
}

const dayRangeOfMonths =
  /(\d{1,2})\/(\d{1,2})[-–~〜～](\d{1,2})\/(\d{1,2})(?![\d/]|[.,]\d|[ -]?\p{L}{1,4}\.?(?!\p{L})(?<!and|to))/uy;
/** The word between the ends of a range, with its spaces. */
export function sayTo(place: Place, end: number): string {
  const said = place.language.say.operator({ kind: 'operator', sign: 'to' }, place, end) ?? ' ';
  return said.endsWith(' ') ? ` ${said.trim()} ` : said;
}

/** Denominators of a kitchen. */
const usualParts = new Set([2, 3, 4, 5, 6, 8, 10, 16]);

/** Months and days of two dates as they are written, unless they are fractions. */
function daysOf(groups: readonly number[], { dateOrder }: Language): readonly (readonly number[])[] | undefined {
  const isFractions = [1, 3].every(
    (index) => usualParts.has(groups[index] ?? 0) && (groups[index - 1] ?? 0) < (groups[index] ?? 0),
  );
  const ends = [groups.slice(0, 2), groups.slice(2)].map((pair) => (dateOrder === 'dmy' ? pair.reverse() : pair));
  return !isFractions && ends.every(([month = 0, day = 0]) => isMonth(month) && isDay(day)) ? ends : undefined;
}

/** `11/28–12/2`, but not `1/4-1/2 cup`. */
function readDayRange(place: Place): Found | undefined {
  const cursor = cursorAt(place);
  const groups = (take(cursor, dayRangeOfMonths) ?? []).slice(1).map(Number);
  const ends = groups.length === 0 ? undefined : daysOf(groups, place.language);
  if (ends === undefined) return undefined;
  const { say } = place.language;
  const [first, last] = ends.map(([month, day]) =>
    say.date({ kind: 'date', month, day, order: 'numeric' }, place, cursor.at),
  );
  const to = sayTo(place, cursor.at);
  return first === undefined || last === undefined ? undefined : foundAt(cursor, `${first}${to}${last}`);
}

const toWord = '(?:au|al|a|à|bis|to|until|till|through|tot|til|до|по|do|até|hasta) (?:le |el |il |o )?';
const dateAndNext = new RegExp(String.raw`(\d{1,2})\/(\d{1,2}) ${toWord}(\d{1,2})\/(\d{1,2})(?![\d/]|[.,]\d)`, 'uy');
const dateBefore = new RegExp(String.raw`(?<![\d/.,])\d{1,2}\/\d{1,2} ${toWord}$`, 'u');

/** Whether `3/5` stands before or behind another such date: `du 3/5 au 6/5`. */
function isInDates(place: Place): boolean {
  const { text, start, before, language } = place;
  const [previous = ''] = dateBefore.exec(before) ?? [];
  const groups = (take({ text, at: start - previous.length }, dateAndNext) ?? []).slice(1).map(Number);
  return groups.length > 0 && daysOf(groups, language) !== undefined;
}

/** `until 3/31`, but not `by 1/2`. */
function readShortDate(place: Place): Found | undefined {
  if (!isBehind(place, place.language.cues.date) && !isInDates(place)) return undefined;
  const cursor = cursorAt(place);
  const [, first = 0, second = 0] = (take(cursor, /(\d{1,2})\/(\d{1,2})(?![\d/]|[.,]\d| ?%)/y) ?? []).map(Number);
  const [month, day] = place.language.dateOrder === 'dmy' ? [second, first] : [first, second];
  const isFraction =
    first < second &&
    ((second <= 10 && /(?:by|from)\s$/i.test(place.before)) || isNext(place.text, cursor.at, partitive));
  if (!isMonth(month) || !isDay(day) || isFraction) return undefined;
  return foundAt(cursor, { kind: 'date', month, day, order: 'numeric' });
}

const pointed = /(\d{1,2})\.(\d{1,2})\.(?![\d\p{L}])/uy;
/** `3.–5.12.` and `3.–5.12.2024` */
const pointedDays = /(\d{1,2})\. ?[-–—] ?(\d{1,2})\.(\d{1,2})\.(\d{4})?(?![\d\p{L}])/uy;
const pointedNext = / ?[-–—] ?(?=\d{1,2}\.\d{1,2}\.)/y;
/** Not behind a noun or a name, whose version or section it would be. */
const pointedBehind =
  /(?:^|[\n(:,;–—-]\s?|(?<!\p{L})(?!(?:siehe|in|unter|se|under|ks)\s)\p{Ll}{2,20}\s|\d\s|[A-ZÄÖÅ]\p{Ll}\.?,?\s)$/u;

/** `24.12.`, as in `am 24.12.` and `28.11.–2.12.` */
function readPointedDate(place: Place): Found | undefined {
  const cursor = cursorAt(place);
  const [, from, to, of, year] = take(cursor, pointedDays) ?? [];
  if (from !== undefined && [from, to].every((day) => isDay(Number(day))) && isMonth(Number(of)))
    return foundAt(cursor, {
      kind: 'date',
      year,
      month: Number(of),
      day: Number(from),
      lastDay: Number(to),
      order: 'day first',
    });
  cursor.at = place.start;
  if (!place.language.pointsDates) return undefined;
  const [, day, month] = (take(cursor, pointed) ?? []).map(Number);
  if (day === undefined || month === undefined || !isMonth(month) || !isDay(day)) return undefined;
  const meaning = { kind: 'date', month, day, order: 'day first' } as const;
  const end = cursor.at;
  if (take(cursor, pointedNext) !== undefined) {
    const first = place.language.say.date(meaning, place, end);
    return foundAt(cursor, `${first}${sayTo(place, end)}`);
  }
  if (!isBehind(place, pointedBehind)) return undefined;
  // Its point may be that of a sentence.
  const begins = place.language.capitalizesNouns ? 'typical word' : 'any capital';
  if (endsSentence(place.text, end, begins) || isNext(place.text, end, /\s*$/y)) cursor.at -= 1;
  return foundAt(cursor, meaning);
}

/** `2026-11-21`, `21.11.2026`, `11/21/26`: by the language's order where both could be the month. */
export const numericDates: SemioticClass = {
  begins: ['digit'],
  digitsBefore: ['hyphen', 'slash', 'number', 'point', 'sign', 'mark'],
  find(place, cursor) {
    if (!place.isBorder) return undefined;
    const end = digitsEnd(place.text, place.start);
    const length = end - place.start;
    if (length > 4 || length === 3) return undefined;
    const [, year, , month, day] = length === 4 ? (take(cursor, yearFirst) ?? []) : [];
    if (year !== undefined) {
      if (!isYear(year) || !isMonth(Number(month)) || !isDay(Number(day))) return undefined;
      if (isNext(place.text, cursor.at, /T\d/y)) cursor.at += 1;
      return foundAt(cursor, { kind: 'date', year, month: Number(month), day: Number(day), order: 'numeric' });
    }
    if (length === 4) return undefined;
    const match = isAlternative(place) ? undefined : (take(cursor, yearLast) ?? take(cursor, spacedYearLast));
    if (match === undefined && place.text[end] === '.') return readPointedDate(place);
    if (match === undefined)
      return place.text[end] === '/'
        ? (readMonthOfYear(place) ?? readDayRange(place) ?? readShortDate(place))
        : undefined;
    const groups = match.slice(1).filter((group) => /^\d+$/.test(group));
    const mark = match[2] ?? '.';
    const [first = 0, second = 0] = groups.map(Number);
    const last = groups[2] ?? '';
    // `1.2.34` is a version, `10-12-14` a code.
    const isPadded = /^\d\d([.-])\d\d\1\d\d$/.test(match[0]) && (mark === '.' || place.language.dateOrder === 'dmy');
    if (last.length === 2 && mark !== '/' && !isPadded) return undefined;
    if (last.length === 4 && !isYear(last)) return undefined;
    const isDayFirst = mark === '.' || !isMonth(first) || (place.language.dateOrder !== 'mdy' && isMonth(second));
    const [day1, month1] = isDayFirst ? [first, second] : [second, first];
    if (!isMonth(month1) || !isDay(day1)) return undefined;
    const order = mark === '.' ? 'day first' : 'numeric';
    return foundAt(cursor, { kind: 'date', year: fullYear(last), month: month1, day: day1, order });
  },
};

const letters = /[\p{L}\p{M}]{1,20}/uy;
const words = /[\p{L}\p{M}]{1,20}(?:[ -][\p{L}\p{M}]{1,20})?/uy;

/** A month by its name, with the period of an abbreviation. */
function readMonth(cursor: Cursor, { months }: Language): number | undefined {
  const start = cursor.at;
  for (const pattern of [words, letters]) {
    const [name] = take(cursor, pattern) ?? [];
    if (name === undefined) break;
    const month = months.get(name.toLowerCase());
    if (month !== undefined) {
      take(cursor, /\.(?=[ \u00a0]?\d|,| ?[-–—])/y);
      return month;
    }
    cursor.at = start;
  }
  return undefined;
}

const dayNumber =
  /(\d{1,2})(?:st|nd|rd|th|d(?=,? \d{4}(?!\d))|ste|de|er|ère|º|ª)?(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d]|[.,:]\d)/uy;
/** The point of German ordinals. */
const dayPoint = /\.(?=[ \u00a0]\p{L}| ?[-–—] ?\d)/uy;
const gap = /[ \u00a0]/y;
const dayRange = /[ ]?[-–—~/][ ]?(?=\d)/y;
const beforeYear = /,? (?=\d{4}(?!\d))|[ ](?=['’]\d\d(?!\d))/y;
const yearDigits = /\d{4}(?!\d|[.,]\d|[-–]\d)|['’]\d\d(?!\d)/y;
const ofMonth = /[ \u00a0-]?(?:of |de |di |da |d['’])?/y;

const readYear = (cursor: Cursor): string | undefined => {
  const end = cursor.at;
  if (take(cursor, beforeYear) === undefined) return undefined;
  const [year] = take(cursor, yearDigits) ?? [];
  if (year !== undefined && (year.length === 3 || isYear(year))) return fullYear(year.replace(/\D/, ''));
  cursor.at = end;
  return undefined;
};

const readDay = (cursor: Cursor): number | undefined => {
  const end = cursor.at;
  const [, day] = take(cursor, dayNumber) ?? [];
  if (day !== undefined && isDay(Number(day))) return Number(day);
  cursor.at = end;
  return undefined;
};

/** A name that is also a word, when it is written in lower case. */
const isVerb = (name: string): boolean =>
  name === 'may' || name === 'march' || name === 'mar' || name === 'sat' || name === 'sun';

function readWeekday(cursor: Cursor, { weekdays }: Language): string | undefined {
  const start = cursor.at;
  const [name = ''] = take(cursor, letters) ?? [];
  const weekday = weekdays.get(name.toLowerCase());
  if (weekday !== undefined && !isVerb(name)) {
    take(cursor, /\./y);
    if (take(cursor, /,? /y) !== undefined) return weekday;
  }
  cursor.at = start;
  return undefined;
}

/** `Nov. 21, 2026`, `Jan 5-7`, `June 1905`. */
function readMonthFirst(cursor: Cursor, place: Place, weekday: string | undefined): Found | undefined {
  const start = cursor.at;
  const month = readMonth(cursor, place.language);
  if (month === undefined) return undefined;
  const name = place.text.slice(start, cursor.at);
  // `Jan-15-2020`
  const [, hyphenDay, hyphenYear] = take(cursor, /-(\d{1,2})-(\d{4}|\d\d)(?![\d\p{L}]|[-.,]\d)/uy) ?? [];
  if (hyphenYear !== undefined && isDay(Number(hyphenDay)))
    return foundAt(cursor, {
      kind: 'date',
      weekday,
      year: fullYear(hyphenYear),
      month,
      day: Number(hyphenDay),
      order: 'month first',
    });
  // `Jan–Mar 2024`
  const monthEnd = cursor.at;
  if (weekday === undefined && take(cursor, / ?[-–—] ?(?=\p{L})/uy) !== undefined) {
    const lastMonth = readMonth(cursor, place.language);
    if (lastMonth !== undefined && ends(cursor)) {
      const named = cursor.at;
      const year = take(cursor, gap) === undefined ? undefined : take(cursor, yearDigits)?.[0];
      if (year === undefined) cursor.at = named;
      if (year === undefined || isYear(year))
        return foundAt(cursor, { kind: 'date', month, lastMonth, year, order: 'month first' });
    }
  }
  cursor.at = monthEnd;
  if (take(cursor, gap) === undefined && !isNext(place.text, cursor.at, /\d|['’]\d\d(?!\d)/y)) return undefined;
  const dayStart = cursor.at;
  let day = readDay(cursor);
  const isOrdinal = /\p{L}$/u.test(place.text.slice(dayStart, cursor.at));
  let [lastDay, lastMonth]: (number | undefined)[] = [];
  if (day !== undefined) {
    const end = cursor.at;
    if (take(cursor, dayRange) !== undefined) lastDay = readDay(cursor);
    else if (take(cursor, / ?[-–] ?(?=\p{L})/uy) !== undefined) {
      lastMonth = readMonth(cursor, place.language);
      if (lastMonth !== undefined && take(cursor, gap) !== undefined) lastDay = readDay(cursor);
    }
    if (lastDay === undefined) {
      cursor.at = end;
      lastMonth = undefined;
    }
  }
  // `mar. 5 marzo` begins with a weekday.
  const dayEnd = cursor.at;
  const isDayFirst =
    day !== undefined && take(cursor, gap) !== undefined && readMonth(cursor, place.language) !== undefined;
  if (isDayFirst) return undefined;
  cursor.at = dayEnd;
  let year = day === undefined ? undefined : readYear(cursor);
  if (day === undefined) {
    const [digits] = take(cursor, yearDigits) ?? [];
    if (digits === undefined || !(digits.length === 3 || isYear(digits))) return undefined;
    year = fullYear(digits.replace(/\D/, ''));
  } else if (!ends(cursor) && year === undefined) return undefined;
  if (isVerb(name) && year === undefined && !isOrdinal) return undefined;
  if (!isNext(place.text, cursor.at, /(?!\d)/y)) day = undefined;
  return foundAt(cursor, { kind: 'date', weekday, month, day, lastDay, lastMonth, year, order: 'month first' });
}

/** The second of `5 May – 3 June`. */
function readLastDay(cursor: Cursor, { language }: Place): readonly number[] {
  const start = cursor.at;
  const day = take(cursor, / ?[-–—] ?(?=\d)/y) === undefined ? undefined : readDay(cursor);
  take(cursor, dayPoint);
  const month = day === undefined || take(cursor, ofMonth) === undefined ? undefined : readMonth(cursor, language);
  if (day !== undefined && month !== undefined && !isNext(cursor.text, cursor.at, /[\p{L}\d]/uy)) return [day, month];
  cursor.at = start;
  return [];
}

/** `21 November 2026`, `the 4th of July`, `5-7 May`. */
function readDayFirst(cursor: Cursor, place: Place, weekday: string | undefined): Found | undefined {
  const day = readDay(cursor);
  if (day === undefined) return undefined;
  take(cursor, dayPoint);
  let lastDay: number | undefined;
  const end = cursor.at;
  if (take(cursor, dayRange) !== undefined) lastDay = readDay(cursor);
  if (lastDay === undefined) cursor.at = end;
  else take(cursor, dayPoint);
  const [between = ''] = take(cursor, ofMonth) ?? [];
  if (between === '') return undefined;
  const start = cursor.at;
  const month = readMonth(cursor, place.language);
  const name = place.text.slice(start, cursor.at);
  if (month === undefined || isNext(place.text, cursor.at, /[\p{L}\d]/uy)) return undefined;
  const monthEnd = cursor.at;
  take(cursor, /(?:-| de | del |,? )(?=\d{4}(?!\d))/y);
  let year: string | undefined;
  if (cursor.at !== monthEnd) {
    const [digits] = take(cursor, yearDigits) ?? [];
    if (digits !== undefined && isYear(digits)) year = digits;
    else cursor.at = monthEnd;
  }
  if (isVerb(name) && year === undefined && !/of $/.test(between)) return undefined;
  const [last, lastMonth] = lastDay === undefined && year === undefined ? readLastDay(cursor, place) : [];
  if (lastMonth !== undefined) {
    lastDay = last;
    const named = cursor.at;
    take(cursor, /(?: de | del |,? )(?=\d{4}(?!\d))/y);
    const [digits] = take(cursor, yearDigits) ?? [];
    if (digits !== undefined && isYear(digits)) year = digits;
    else cursor.at = named;
  }
  return foundAt(cursor, { kind: 'date', weekday, month, day, lastDay, lastMonth, year, order: 'day first' });
}

const monthWords = new WeakMap<Language, ReadonlySet<string>>();
/** Whether the name of a month begins with a word. */
function isMonthWord(word: string, language: Language): boolean {
  const words =
    monthWords.get(language) ??
    new Set([...language.months.keys()].map((name) => /^[\p{L}\p{M}]+/u.exec(name)?.[0] ?? ''));
  monthWords.set(language, words);
  return words.has(word.toLowerCase());
}

export const namedDates: SemioticClass = {
  begins: ['letter', 'digit'],
  beginsWith: (word, language) => isMonthWord(word, language) || language.weekdays.has(word.toLowerCase()),
  counts: (word, language) => isMonthWord(word, language) || /^(?:of|de|di|da|d)$/.test(word),
  digitsBefore: ['word', 'letter', 'hyphen', 'point', 'slash', 'sign', 'mark'],
  find(place, cursor) {
    if (!place.isBorder) return undefined;
    if (/\d/.test(place.text[place.start] ?? '')) return readDayFirst(cursor, place, undefined);
    const weekday = readWeekday(cursor, place.language);
    const afterWeekday = cursor.at;
    const found = readMonthFirst(cursor, place, weekday);
    if (found !== undefined || weekday === undefined) return found;
    cursor.at = afterWeekday;
    return readDayFirst(cursor, place, weekday);
  },
};
