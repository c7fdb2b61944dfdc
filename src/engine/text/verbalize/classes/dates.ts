/** Dates in numbers and by names. */
import { digitsEnd } from '../follow.ts';
import type { Language, Place } from '../language.ts';
import {
  attempt,
  type Cursor,
  endsSentence,
  firstOf,
  isBehind,
  isNext,
  type Meaning,
  take,
  tokenClass,
} from '../place.ts';
import { isAlternative } from './between-values.ts';

const stop = /(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}_]|[-/]\d|[.,:]\d)/uy;
const ends = (cursor: Cursor): boolean => isNext(cursor.text, cursor.at, stop);
export const isDay = (day: number): boolean => day >= 1 && day <= 31;
export const isMonth = (month: number): boolean => month >= 1 && month <= 12;
export const isYear = (year: string): boolean => /^(?:1\d|20|21)\d\d$/.test(year);

const yearFirst =
  /(\d{4})([-/.·])(\d{1,2})\2(\d{1,2})(?=T\d\d:|(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}_]|[-/:](?!\d{4}[-/.]\d\d?[-/.])\d|\.\d))/uy;
const yearLast =
  /(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?=г\.|(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}_]|[-/:]\d|[.,]\d))/uy;
const spacedYearLast = /(\d{1,2})\. (\d{1,2})\. (\d{4})(?!\d|[.,]\d)/y;

/** A year of two digits: within the last ninety years or the next ten. */
const fullYear = (year: string): string => (year.length === 4 ? year : Number(year) < 37 ? `20${year}` : `19${year}`);

/** Words after a fraction, and times that it is a part of. */
const partitive =
  /\s(?:(?:of|de|des|da|do|di|del|della|dei|van|jour|journée|heure|hora|jornada|día|dia|ora|giornata|day|hour|dag|timme|time|uur|Tage?s?|Stunde|часа?|дня|dnia|godziny)(?!\p{L})|d[’'])/uy;

/** `08/2008`, `08-2008`, `08.2008` */
const monthOfYear = /(0[1-9]|1[0-2](?=\/))[-/.]((?:19|20)\d\d)(?![\p{sc=Latn}\d/%]|[-.,]\d)/uy;
function readMonthOfYear(cursor: Cursor): Meaning {
  const [, month, year] = take(cursor, monthOfYear) ?? [];
  return year === undefined ? undefined : { kind: 'date', year, month: Number(month), order: 'numeric' };
}

const dayRangeOfMonths =
  /(\d{1,2})\/(\d{1,2})(?:[-–~〜～]| [-–] )(\d{1,2})\/(\d{1,2})(?![\d/]|[.,]\d|[ -]?\p{L}{1,4}\.?(?!\p{L})(?<!and|to)| ?=)/uy;
/** The word between the ends of a range, with its spaces. */
export function sayTo(place: Place, end: number): string {
  const said = place.language.say.operator({ kind: 'operator', sign: 'to' }, place, end) ?? ' ';
  return said.endsWith(' ') ? ` ${said.trim()} ` : said;
}

/** Denominators of a kitchen. */
const usualParts = new Set([2, 3, 4, 5, 6, 8, 10, 16]);

/** Months and days of two dates as they are written, unless they are fractions. */
function daysOf(groups: readonly number[], { shortDateOrder }: Language): readonly (readonly number[])[] | undefined {
  const isFractions = [1, 3].every(
    (index) => usualParts.has(groups[index] ?? 0) && (groups[index - 1] ?? 0) < (groups[index] ?? 0),
  );
  const ends = [groups.slice(0, 2), groups.slice(2)].map((pair) => (shortDateOrder === 'dmy' ? pair.reverse() : pair));
  return !isFractions && ends.every(([month = 0, day = 0]) => isMonth(month) && isDay(day)) ? ends : undefined;
}

/** `11/28–12/2`, but not `1/4-1/2 cup`. */
function readDayRange(cursor: Cursor, place: Place): Meaning {
  const [written = '', ...groups] = take(cursor, dayRangeOfMonths) ?? [];
  const isDates = groups.length > 0 && (!/ /.test(written) || Math.max(...groups.map(Number)) > 12);
  const ends = isDates ? daysOf(groups.map(Number), place.language) : undefined;
  const said = ends?.map(([month, day]) =>
    place.language.say.date({ kind: 'date', month, day, order: 'numeric' }, place, cursor.at),
  );
  return said === undefined || said.includes(undefined) ? undefined : said.join(sayTo(place, cursor.at));
}

const toWord = '(?:au|al|a|à|bis|to|until|till|through|tot|til|до|по|do|até|hasta) (?:le |el |il |o )?';
const between = `(?: ${toWord}| ?から ?| (and|und|et|y|e|en|och|og|i|и|và) )`;
const dateAndNext = new RegExp(String.raw`(\d{1,2})\/(\d{1,2})${between}(\d{1,2})\/(\d{1,2})(?![\d/]|[.,]\d)`, 'uy');
const dateBefore = new RegExp(String.raw`(?<![\d/.,])\d{1,2}\/\d{1,2}${between}$`, 'u');

/** Whether `3/5` stands before or behind another such date: `du 3/5 au 6/5`. */
function isInDates(place: Place): boolean {
  const { text, start, before, language } = place;
  const [previous = ''] = dateBefore.exec(before) ?? [];
  const [, ...found] = take({ text, at: start - previous.length }, dateAndNext) ?? [];
  const [and] = found.splice(2, 1);
  const groups = found.map(Number);
  // `3/7 and 2/9` are fractions.
  return groups.length > 0 && (and === undefined || Math.max(...groups) > 12) && daysOf(groups, language) !== undefined;
}

const dayBefore = /(?<!\p{L})(?:am|vom|zum|dem)\s$/iu;
/** `08/08`, in some languages `08-08`; where decimals have a comma, `am 02.03`. */
function readPaddedDate(cursor: Cursor, place: Place): Meaning {
  const { cues, dashesDates, decimalMark, shortDateOrder } = place.language;
  const isCued = decimalMark === ',' && (isBehind(place, cues.date) || isBehind(place, dayBefore));
  const [, one, mark, other] =
    take(
      cursor,
      /(?=0|..[-/.]0)(\d\d)([-/.])(\d\d)(?![\d/-]|[.,]\d| ?[%\p{Sc}点點时時분시岁歳個个元円%]|\p{sc=Latn}| (?!(?:को|में|तक|से|का|की|के|पर) )\p{sc=Deva})/uy,
    ) ?? [];
  if (
    one === undefined ||
    (mark === '-' && !dashesDates) ||
    (mark === '.' && !isCued) ||
    /[-/.:]$/.test(place.before) ||
    isBehind(place, cues.score)
  )
    return undefined;
  const [first, second] = [Number(one), Number(other)];
  const isDayFirst = isMonth(second) && (shortDateOrder === 'dmy' || !isMonth(first));
  const [month, day] = isDayFirst ? [second, first] : [first, second];
  return isMonth(month) && isDay(day) ? { kind: 'date', month, day, order: 'numeric' } : undefined;
}

/** `until 3/31`, but not `by 1/2`. */
function readShortDate(cursor: Cursor, place: Place): Meaning {
  if (!isBehind(place, place.language.cues.date) && !isInDates(place)) return undefined;
  const [, first = 0, second = 0] = (take(cursor, /(\d{1,2})\/(\d{1,2})(?![\d/]|[.,]\d| ?%)/y) ?? []).map(Number);
  const [month, day] = place.language.shortDateOrder === 'dmy' ? [second, first] : [first, second];
  const isFraction =
    first < second &&
    ((second <= 10 && /(?:by|from)\s$/i.test(place.before)) || isNext(place.text, cursor.at, partitive));
  return isMonth(month) && isDay(day) && !isFraction ? { kind: 'date', month, day, order: 'numeric' } : undefined;
}

const pointed = /(\d{1,2})\.(\d{1,2})\.(?![\d\p{L}])/uy;
/** `3.–5.12.` and `3.–5.12.2024` */
const pointedDays = /(\d{1,2})\. ?[-–—] ?(\d{1,2})\.(\d{1,2})\.(\d{4})?(?![\d\p{L}])/uy;
const pointedNext = / ?[-–—] ?(?=\d{1,2}\.\d{1,2}\.)/y;
/** Not behind a noun or a name, whose version or section it would be. */
const pointedBehind =
  /(?:^|[\n(:,;–—-]\s?|(?<!\p{L})(?!(?:siehe|in|unter|se|under|ks)\s)\p{Ll}{2,20}\s|\d\s|[A-ZÄÖÅ]\p{Ll}\.?,?\s)$/u;

/** `24.12.`, as in `am 24.12.` and `28.11.–2.12.` */
function readPointedDate(cursor: Cursor, place: Place): Meaning {
  const [, from, to, of, year] = take(cursor, pointedDays) ?? [];
  const [first, lastDay, ofRange] = [from, to, of].map(Number) as [number, number, number];
  if (isDay(first) && isDay(lastDay) && isMonth(ofRange))
    return { kind: 'date', year, month: ofRange, day: first, lastDay, order: 'day first' };
  cursor.at = place.start;
  if (!place.language.pointsDates) return undefined;
  const [, day = 0, month = 0] = (take(cursor, pointed) ?? []).map(Number);
  if (!isMonth(month) || !isDay(day)) return undefined;
  const meaning = { kind: 'date', month, day, order: 'day first' } as const;
  const end = cursor.at;
  if (take(cursor, pointedNext) !== undefined)
    return `${place.language.say.date(meaning, place, end)}${sayTo(place, end)}`;
  if (!isBehind(place, pointedBehind)) return undefined;
  // Its point may be that of a sentence.
  const begins = place.language.capitalizesNouns ? 'typical word' : 'any capital';
  if (endsSentence(place.text, end, begins) || isNext(place.text, end, /\s*$/y)) cursor.at -= 1;
  return meaning;
}

/** `2026-11-21` */
function readYearFirst(cursor: Cursor, place: Place): Meaning {
  const { at } = cursor;
  const [, year = '', , month, day] = take(cursor, yearFirst) ?? [];
  if (year === '') {
    // `2003-03`, but `2003-04` is a span of two years, `2003-11` may be one of nine.
    cursor.at = at;
    const [, of = '', last] = take(cursor, /((?:19|20)\d\d)[-/](0[1-9]|1[0-2])(?![\p{sc=Latn}\d/%]|[-.,]\d)/uy) ?? [];
    return Number(last) <= Number(of.slice(2))
      ? { kind: 'date', year: of, month: Number(last), order: 'numeric' }
      : undefined;
  }
  if (!isYear(year) || !isMonth(Number(month)) || !isDay(Number(day))) return undefined;
  take(cursor, /T(?=\d)/y);
  const date = { kind: 'date', year, month: Number(month), day: Number(day), order: 'numeric' } as const;
  const end = cursor.at;
  const last = take(cursor, /[-–~](?=\d{4}[-/.]\d)/y) && readYearFirst(cursor, place);
  if (typeof last === 'object' && last.kind === 'date')
    return [date, last].map((one) => place.language.say.date(one, place, end)).join(sayTo(place, end));
  cursor.at = end;
  return date;
}

/** `21.11.2026`, `11/21/26`, by the language's order where both could be the month; `24.12.`, `3/31`. */
export const numericDates = tokenClass(
  { begins: 'digit', digitsBefore: ['hyphen', 'slash', 'number', 'point', 'sign', 'mark'] },
  (cursor, place) => {
    const end = digitsEnd(place.text, place.start);
    const length = end - place.start;
    if (length > 2) return length === 4 ? readYearFirst(cursor, place) : undefined;
    const match = isAlternative(place) ? undefined : (take(cursor, yearLast) ?? take(cursor, spacedYearLast));
    if (match === undefined) {
      if (place.text[end] === '.') return firstOf(readMonthOfYear, readPointedDate, readPaddedDate)(cursor, place);
      return firstOf(readMonthOfYear, readDayRange, readShortDate, readPaddedDate)(cursor, place);
    }
    const groups = match.slice(1).filter((group) => /^\d+$/.test(group));
    const mark = match[2] ?? '.';
    const { dateOrder } = place.language;
    const [first = 0, second = 0] = groups.map(Number);
    const last = groups[2] ?? '';
    // `1.2.34` is a version, `10-12-14` a code.
    const isPadded = /^\d\d([.-])\d\d\1\d\d$/.test(match[0]) && (mark === '.' || dateOrder === 'dmy');
    if ((last.length === 2 && mark !== '/' && !isPadded) || (last.length === 4 && !isYear(last))) return undefined;
    const isDayFirst = mark === '.' || !isMonth(first) || (dateOrder !== 'mdy' && isMonth(second));
    const [day, month] = isDayFirst ? [first, second] : [second, first];
    if (!isMonth(month) || !isDay(day)) return undefined;
    return { kind: 'date', year: fullYear(last), month, day, order: mark === '.' ? 'day first' : 'numeric' };
  },
);

const letters = /[\p{L}\p{M}]{1,20}/uy;
const words = /[\p{L}\p{M}]{1,20}(?:[ -][\p{L}\p{M}]{1,20})?/uy;

/** A month by its name, with the period of an abbreviation. */
function readMonth(cursor: Cursor, { months }: Language): number | undefined {
  const named = (pattern: RegExp) => attempt(cursor, () => months.get(take(cursor, pattern)?.[0].toLowerCase() ?? ''));
  const month = named(words) ?? named(letters);
  if (month !== undefined) take(cursor, /\.(?=[ \u00a0]?\d|,| ?[-–—])/y);
  return month;
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

/** A year behind a date, and what is between them. */
const readYear = (cursor: Cursor, between: RegExp): string | undefined =>
  attempt(cursor, () => {
    const [year = ''] = take(cursor, between) === undefined ? [] : (take(cursor, yearDigits) ?? []);
    return year.length === 3 || isYear(year) ? fullYear(year.replace(/\D/, '')) : undefined;
  });

const readDay = (cursor: Cursor): number | undefined =>
  attempt(cursor, () => {
    const day = Number(take(cursor, dayNumber)?.[1]);
    return isDay(day) ? day : undefined;
  });

/** A name that is also a word, when it is written in lower case. */
const isVerb = (name: string): boolean => /^(?:may|march|mar|sat|sun)$/.test(name);

const readWeekday = (cursor: Cursor, { weekdays }: Language): string | undefined =>
  attempt(cursor, () => {
    const [name = ''] = take(cursor, letters) ?? [];
    const weekday = isVerb(name) ? undefined : weekdays.get(name.toLowerCase());
    take(cursor, /\./y);
    return weekday !== undefined && take(cursor, /,? /y) !== undefined ? weekday : undefined;
  });

/** `Jan-15-2020`, `Jan-15` */
const hyphenedDay = /-(\d{1,2})(?:-(\d{4}|\d\d)(?![\d\p{L}]|[-.,]\d)|(?![\d\p{L}]|[-.,:/]\d))/uy;

/** `Nov. 21, 2026`, `Jan 5-7`, `June 1905`. */
function readMonthFirst(cursor: Cursor, place: Place, weekday: string | undefined): Meaning {
  const { text, language } = place;
  const start = cursor.at;
  const month = readMonth(cursor, language);
  if (month === undefined) return undefined;
  const name = text.slice(start, cursor.at);
  const [kind, order] = ['date', 'month first'] as const;
  const [, hyphened, of] = take(cursor, hyphenedDay) ?? [];
  if (hyphened !== undefined) {
    const isDate = isDay(Number(hyphened)) && (of !== undefined || !isVerb(name));
    return isDate ? { kind, weekday, year: of && fullYear(of), month, day: Number(hyphened), order } : undefined;
  }
  // `Jan–Mar 2024`
  const monthEnd = cursor.at;
  if (weekday === undefined && take(cursor, / ?[-–—] ?(?=\p{L})/uy) !== undefined) {
    const lastMonth = readMonth(cursor, language);
    if (lastMonth !== undefined && ends(cursor)) {
      const named = cursor.at;
      const year = take(cursor, gap) === undefined ? undefined : take(cursor, yearDigits)?.[0];
      if (year === undefined) cursor.at = named;
      if (year === undefined || isYear(year)) return { kind, month, lastMonth, year, order };
    }
  }
  cursor.at = monthEnd;
  if (take(cursor, gap) === undefined && !isNext(text, cursor.at, /\d|['’]\d\d(?!\d)/y)) return undefined;
  const dayStart = cursor.at;
  const day = readDay(cursor);
  if (day === undefined) {
    const year = readYear(cursor, /(?=\d|['’])/y);
    return year === undefined ? undefined : { kind, weekday, month, year, order };
  }
  const isOrdinal = /\p{L}$/u.test(text.slice(dayStart, cursor.at));
  let [lastDay, lastMonth]: (number | undefined)[] = [];
  const firstEnd = cursor.at;
  if (take(cursor, dayRange) !== undefined) lastDay = readDay(cursor);
  else if (take(cursor, / ?[-–] ?(?=\p{L})/uy) !== undefined) {
    lastMonth = readMonth(cursor, language);
    if (lastMonth !== undefined && take(cursor, gap) !== undefined) lastDay = readDay(cursor);
  }
  if (lastDay === undefined) {
    cursor.at = firstEnd;
    lastMonth = undefined;
  }
  // `mar. 5 marzo` begins with a weekday.
  const dayEnd = cursor.at;
  if (take(cursor, gap) !== undefined && readMonth(cursor, language) !== undefined) return undefined;
  cursor.at = dayEnd;
  const year = readYear(cursor, beforeYear);
  if (year === undefined && (!ends(cursor) || (isVerb(name) && !isOrdinal))) return undefined;
  const isDayAlone = !isNext(text, cursor.at, /\d/y);
  return { kind, weekday, month, day: isDayAlone ? day : undefined, lastDay, lastMonth, year, order };
}

/** The second of `5 May – 3 June`. */
const readLastDay = (cursor: Cursor, { language }: Place): readonly [day: number, month: number] | undefined =>
  attempt(cursor, () => {
    const day = take(cursor, / ?[-–—] ?(?=\d)/y) === undefined ? undefined : readDay(cursor);
    take(cursor, dayPoint);
    const month = day === undefined || take(cursor, ofMonth) === undefined ? undefined : readMonth(cursor, language);
    const isLast = month !== undefined && !isNext(cursor.text, cursor.at, /[\p{L}\d]/uy);
    return day !== undefined && isLast ? [day, month] : undefined;
  });

/** `21 November 2026`, `the 4th of July`, `5-7 May`. */
function readDayFirst(cursor: Cursor, place: Place, weekday?: string): Meaning {
  const day = readDay(cursor);
  if (day === undefined) return undefined;
  take(cursor, dayPoint);
  const end = cursor.at;
  let lastDay = take(cursor, dayRange) === undefined ? undefined : readDay(cursor);
  if (lastDay === undefined) cursor.at = end;
  else take(cursor, dayPoint);
  const [between = ''] = take(cursor, ofMonth) ?? [];
  if (between === '') return undefined;
  const start = cursor.at;
  const month = readMonth(cursor, place.language);
  const name = place.text.slice(start, cursor.at);
  if (month === undefined || isNext(place.text, cursor.at, /[\p{L}\d]/uy)) return undefined;
  let year = readYear(cursor, /(?:-| de | del |,? )(?=\d{4}(?!\d))/y);
  if (isVerb(name) && year === undefined && !/of $/.test(between)) return undefined;
  const [last, lastMonth] = lastDay === undefined && year === undefined ? (readLastDay(cursor, place) ?? []) : [];
  if (lastMonth !== undefined) {
    lastDay = last;
    year = readYear(cursor, /(?: de | del |,? )(?=\d{4}(?!\d))/y);
  }
  return { kind: 'date', weekday, month, day, lastDay, lastMonth, year, order: 'day first' };
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

export const namedDates = tokenClass(
  {
    begins: 'letter digit',
    beginsWith: (word, language) => isMonthWord(word, language) || language.weekdays.has(word.toLowerCase()),
    counts: (word, language) => isMonthWord(word, language) || /^(?:of|de|di|da|d)$/.test(word),
    digitsBefore: ['word', 'letter', 'hyphen', 'point', 'slash', 'sign', 'mark'],
  },
  (cursor, place) => {
    if (/\d/.test(place.text[place.start] ?? '')) return readDayFirst(cursor, place);
    const weekday = readWeekday(cursor, place.language);
    const afterWeekday = cursor.at;
    const monthFirst = readMonthFirst(cursor, place, weekday);
    if (monthFirst !== undefined || weekday === undefined) return monthFirst;
    cursor.at = afterWeekday;
    return readDayFirst(cursor, place, weekday);
  },
);
