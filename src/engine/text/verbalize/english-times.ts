/** English rules for dates, times of day, years and decades. */
import { digitsOf, fullStop, start, stop } from './english-patterns.ts';
import { sayEnglish, sayEnglishOrdinal, sayEnglishYear } from './number-words.ts';
import { type Groups, type Rule, rule, type Surroundings } from './rules.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
const monthPattern = String.raw`(Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?\.?|July?\.?|Aug(?:ust|\.)?|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)`;
const year = String.raw`(1[1-9]\d{2}|20\d{2})`;
const half = String.raw`(?:\s?([AaPp](?:\.[Mm]\.|[Mm])(?!\p{L})))`;
/** Words followed by a year rather than an amount. */
const beforeYear = '[Ii]n|[Ss]ince|[Uu]ntil|[Tt]ill|[Dd]uring|[Cc]irca|[Yy]ear|[Bb]efore|[Aa]fter|early|late|mid';
const afterYear = 'the|an?|and|he|she|it|they|we|is|was|were|has|had|will|by|with|when|to|at|on|for|but|as|or';

const monthOf = (name = ''): string => months.find((month) => month.startsWith(name.slice(0, 3))) ?? name;
const isDay = (day = ''): boolean => Number(day) >= 1 && Number(day) <= 31;
const isMonth = (month = ''): boolean => Number(month) >= 1 && Number(month) <= 12;
const yearAfter = (digits: string | undefined): string => (digits === undefined ? '' : `, ${sayEnglishYear(digits)}`);

function sayDate(month: string, day = '', digits?: string): string | undefined {
  return isDay(day) ? `${month} ${sayEnglishOrdinal(digitsOf(day))}${yearAfter(digits)}` : undefined;
}

const sayNumericDate = (month: string | undefined, day: string | undefined, digits = ''): string | undefined =>
  isMonth(month) && /^[12]/.test(digits) ? sayDate(months[Number(month) - 1] as string, day, digits) : undefined;

function sayTime([match = '', hour, minute, second, name]: Groups, surroundings: Surroundings): string | undefined {
  if (Number(hour) > 24) return undefined;
  const parts = [sayEnglish(digitsOf(hour))];
  if (minute !== undefined && minute !== '00') {
    parts.push(minute.startsWith('0') ? `oh ${sayEnglish(minute.slice(1))}` : sayEnglish(minute));
  }
  if (second !== undefined) parts.push(`and ${sayEnglish(digitsOf(second))} seconds`);
  if (name !== undefined) parts.push(name.toLowerCase().startsWith('a') ? 'AM' : 'PM');
  else if (parts.length === 1) parts.push("o'clock");
  return parts.join(' ') + fullStop(match, surroundings);
}

const decades = 'hundreds tens twenties thirties forties fifties sixties seventies eighties nineties'.split(' ');

function sayDecade(century = '', decade = ''): string {
  if (decade === '0' && Number(century) % 10 === 0) return `${sayEnglish(digitsOf(century.slice(0, 1)))} thousands`;
  return `${sayEnglish(century)} ${decades[Number(decade)]}`;
}

/** If day and month are ambiguous, the month comes first, as in American English. */
export const timeRules: readonly Rule[] = [
  rule(`${start}(\\d{4})-(\\d{2})-(\\d{2})${stop}`, ([, digits, month, day]) => sayNumericDate(month, day, digits)),
  rule(`${start}(\\d{1,2})/(\\d{1,2})/(\\d{4})${stop}`, ([, first, second, digits]) =>
    isMonth(first) ? sayNumericDate(first, second, digits) : sayNumericDate(second, first, digits),
  ),
  rule(`(?<!\\p{L})${monthPattern}\\s(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s${year})?${stop}`, ([, month, day, digits]) =>
    sayDate(monthOf(month), day, digits),
  ),
  rule(
    `${start}(\\d{1,2})(?:st|nd|rd|th)?\\s(?:of\\s)?${monthPattern}(?:,?\\s${year})?(?!\\p{L})`,
    ([, day, month, digits]) =>
      isDay(day) ? `the ${sayEnglishOrdinal(digitsOf(day))} of ${monthOf(month)}${yearAfter(digits)}` : undefined,
  ),
  rule(
    `(?<!\\p{L})${monthPattern}\\s${year}${stop}`,
    ([, month, digits = '']) => `${monthOf(month)} ${sayEnglishYear(digits)}`,
  ),
  rule(`${start}(\\d{1,2}):([0-5]\\d)(?::([0-5]\\d))?${half}?(?![\\p{L}\\p{N}:])`, sayTime),
  rule(`${start}(\\d{1,2})${half}`, ([match, hour, name], surroundings) =>
    sayTime([match, hour, undefined, undefined, name], surroundings),
  ),
  rule(
    `${start}${year}\\s?-\\s?${year}(?![\\d-])`,
    ([, first = '', second = '']) => `${sayEnglishYear(first)} to ${sayEnglishYear(second)}`,
  ),
  rule(`${start}(1[1-9]|20)(\\d)0'?s(?!\\p{L})`, ([, century, decade]) => sayDecade(century, decade)),
  rule(`(?<![\\p{L}\\p{N}.,])'?([2-9])0'?s(?!\\p{L})`, ([, decade]) => decades[Number(decade)]),
  rule(
    `(?<=(?<!\\p{L})(?:${beforeYear})\\s)${year}(?!\\p{L}|\\d|[.,]\\d|%)(?=$|[^\\s]|\\s(?:${afterYear})(?!\\p{L})|\\s[^\\p{Ll}])`,
    ([, digits = '']) => sayEnglishYear(digits),
  ),
  rule(
    `(?<=(?<!\\p{L})(?:[Oo]f|[Bb]y|[Ff]rom|[Tt]o)\\s)${year}(?=[.,;:!?)]*(?:$|\\s\\p{Lu}|\\s(?:to|until|and)\\s))(?![.,]\\d)`,
    ([, digits = '']) => sayEnglishYear(digits),
  ),
];
