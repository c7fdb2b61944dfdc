/** `<say-as>` of SSML: a text read in a stated way, in the language that is stated, else in English. */
import { atOnce } from '../../event-loop.ts';
import { meaningOf } from '../../word-lists.ts';
import { languageTagOf } from '../text/language/language-tags.ts';
import { withSegments } from '../text/spoken-text.ts';
import { tokenSegments } from '../text/verbalize/classify.ts';
import type { Language, Place } from '../text/verbalize/language.ts';
import {
  sayEnglish,
  sayEnglishOrdinal,
  sayEnglishYear,
  spellEnglish,
} from '../text/verbalize/languages/english/say.ts';
import { loadedLanguage } from '../text/verbalize/load-language.ts';
import { readAmount } from '../text/verbalize/numerals.ts';

export interface SayAs {
  readonly interpretAs: string;
  readonly format?: string | undefined;
  readonly language?: string | undefined;
}

const isEnglish = (language: string | undefined): boolean => /^en\b/i.test(language ?? 'en');

const months = 'January February March April May June July August September October November December'.split(' ');

/** Letters and digits one by one, a pause between them as between words. */
function spell(text: string): string {
  return [...text.trim()]
    .filter((character) => !/\s/u.test(character))
    .map((character) => (/\p{Nd}/u.test(character) ? spellEnglish(character) : character.toUpperCase()))
    .join(' ');
}

/** Groups as they are written, each digit by itself. */
const spellGroups = (text: string): string =>
  [...text.matchAll(/\d+|\+/g)]
    .map(([group]) => (group === '+' ? 'plus' : spellEnglish(group)))
    .join(', ')
    .replace('plus, ', 'plus ');

/** `20260922`, and `????0922` for a date without its year. */
const compactDate = /^\s*(\d{4}|\?{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])\s*$/;

/** Order of the parts of a date, as `format` gives them: `mdy`, `dmy`, `ymd`, `md`, `dm`, `ym`, `my`, `y`, `m`, `d`. */
function sayDate(text: string, format: string | undefined): string | undefined {
  const [, compactYear = '', compactMonth = '', compactDay = ''] = compactDate.exec(text) ?? [];
  if (compactMonth !== '') {
    return compactYear.startsWith('?')
      ? sayDate(`${compactMonth}-${compactDay}`, 'md')
      : sayDate(`${compactYear}-${compactMonth}-${compactDay}`, 'ymd');
  }
  const numbers = [...text.matchAll(/\d+/g)].map(([digits]) => digits);
  const [first = ''] = numbers;
  const stated = (format ?? '').toLowerCase().replace(/[^ymd]/g, '');
  const order = [...stated.replace(/(.)\1+/g, '$1')];
  const guessed = first.length === 4 ? ['y', 'm', 'd'] : ['m', 'd', 'y'];
  const parts = order.length === numbers.length ? order : guessed.slice(0, numbers.length);
  if (numbers.length === 0 || numbers.length > 3) return undefined;
  const value = (part: string): string | undefined => numbers[parts.indexOf(part)];
  const [year, month, day] = [value('y'), value('m'), value('d')];
  const monthName = month === undefined ? undefined : months[Number(month) - 1];
  if (month !== undefined && monthName === undefined) return undefined;
  const dayWords = day === undefined ? undefined : sayEnglishOrdinal(String(Number(day)));
  const date = [monthName, dayWords].filter((word) => word !== undefined).join(' ');
  const yearWords = year === undefined ? '' : /^[12]\d{3}$/.test(year) ? sayEnglishYear(year) : sayEnglish(year);
  return [date, yearWords].filter((words) => words !== '').join(day === undefined ? ' ' : ', ');
}

const denominators: Readonly<Record<string, readonly [one: string, many: string]>> = {
  2: ['half', 'halves'],
  4: ['quarter', 'quarters'],
};

function sayFraction(text: string): string | undefined {
  const [, whole, above = '', below = ''] = /^\s*(?:(\d+)[\s+]+)?(\d+)\s*\/\s*(\d+)\s*$/.exec(text) ?? [];
  if (below === '') return undefined;
  const [one, many] = denominators[below] ?? [sayEnglishOrdinal(below), `${sayEnglishOrdinal(below)}s`];
  const fraction = `${sayEnglish(above)} ${Number(above) === 1 ? one : many}`;
  return whole === undefined ? fraction : `${sayEnglish(whole)} and ${fraction}`;
}

/** `1'21"`, `2h30`, or with a format `hms` also `01:18:30`: hours, minutes and seconds. */
function sayDuration(text: string, format: string | undefined): string | undefined {
  const written = text.trim();
  const marked =
    /^(?:(\d{1,3}) ?h ?)?(?:(\d{1,3}) ?(?:['′’]|m(?:in)?) ?)?(?:(\d{1,3}(?:\.\d{1,3})?)(?: ?(?:["″”]|''|s))?)?$/i.exec(
      written,
    );
  const clock = format === undefined ? null : /^(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})$/.exec(written);
  const [, hours, minutes, seconds] = clock ?? marked ?? [];
  if (hours === undefined && minutes === undefined) return undefined;
  // The last number of `2h30` is of minutes.
  const isOfMinutes = hours !== undefined && minutes === undefined && !/["″”s]$/i.test(written);
  const values = { hour: hours, minute: isOfMinutes ? seconds : minutes, second: isOfMinutes ? undefined : seconds };
  const said = Object.entries(values).flatMap(([unit, value = '']) =>
    Number(value) === 0 ? [] : [counted(value, unit)],
  );
  if (said.length === 0) return 'zero seconds';
  return said.length === 3 ? `${said[0]}, ${said[1]} and ${said[2]}` : said.join(' and ');
}

const counted = (value: string, unit: string): string =>
  `${sayEnglish(String(Number(value)))} ${unit}${Number(value) === 1 ? '' : 's'}`;

/** The text as it is to be spoken; undefined when `interpretAs` is unknown or doesn't fit the text. */
export function sayAs(text: string, { interpretAs, format, language: tag }: SayAs): string | undefined {
  const kind = kinds.get(interpretAs.toLowerCase());
  if (kind === undefined) return undefined;
  if (kind === 'name') return text;
  if (kind === 'characters') return spell(text);
  const language = loadedLanguage(tag ?? 'en');
  const said = isEnglish(tag) ? inEnglish(text, kind, format) : inOther(text, kind, language);
  return said ?? written(text, kind, language);
}

const kinds = meaningOf({
  characters: 'characters character spell-out verbatim letters',
  digits: 'digits number_digit',
  cardinal: 'cardinal number',
  ordinal: 'ordinal',
  fraction: 'fraction',
  telephone: 'telephone phone',
  date: 'date',
  duration: 'duration',
  time: 'time',
  name: 'name',
  text: 'currency unit address',
});
type Interpretation = NonNullable<ReturnType<typeof kinds.get>>;

function inEnglish(text: string, kind: Interpretation, format: string | undefined): string | undefined {
  const number = text.trim();
  switch (kind) {
    case 'digits':
      return spellEnglish(text);
    case 'cardinal':
      if (!/^[+-]?\d[\d,]*(\.\d+)?$/.test(number)) return undefined;
      return number
        .replace(/^-/, 'minus ')
        .replace(/^\+/, 'plus ')
        .replace(/[\d,.]+$/, sayEnglish);
    case 'ordinal': {
      const [, digits] = /^(\d+)(?:st|nd|rd|th)?$/i.exec(number) ?? [];
      return digits === undefined ? undefined : sayEnglishOrdinal(digits);
    }
    case 'fraction':
      return sayFraction(text);
    case 'telephone':
      return /\d/.test(text) ? spellGroups(text) : undefined;
    case 'date':
      return sayDate(text, format);
    case 'duration':
    case 'time':
      return sayDuration(text, kind === 'duration' ? (format ?? 'hms') : undefined);
    default:
      return undefined;
  }
}

function inOther(text: string, kind: Interpretation, language: Language | undefined): string | undefined {
  const number = text.trim();
  if (language === undefined) return undefined;
  const run = { end: -1, isWords: false };
  const place: Place = { text: number, start: 0, language, before: '', isBorder: true, run };
  switch (kind) {
    case 'digits':
      return language.say.digits({ kind, groups: [number.replace(/\D/g, '')] }, place, number.length);
    case 'cardinal': {
      const cursor = { text: number, at: 0 };
      const amount = readAmount(cursor, language);
      return amount === undefined || cursor.at < number.length ? undefined : language.sayAmount(amount);
    }
    case 'ordinal': {
      const [, first, mark] = /^(\d+)(\D{0,4})$/u.exec(number) ?? [];
      return first === undefined ? undefined : language.say.ordinal({ kind, first, mark }, place, number.length);
    }
    case 'telephone': {
      const groups = number.match(/\d+/g);
      return groups === null ? undefined : language.say.telephone({ kind, groups }, place, number.length);
    }
    default:
      return undefined;
  }
}

const asNormalized = new Set<Interpretation>(['fraction', 'date', 'duration', 'time', 'text']);

function written(text: string, kind: Interpretation, language: Language | undefined): string | undefined {
  if (!asNormalized.has(kind) || language === undefined) return undefined;
  const spoken = atOnce(withSegments(text, tokenSegments(text, language))).text;
  return kind === 'fraction' && spoken === text ? undefined : spoken;
}

const languageAttribute = /xml:lang\s*=\s*["']([\w-]{1,35})["']/g;

/** Languages that the elements `<say-as>` of a script may need. */
export function sayAsLanguages(text: string): readonly string[] {
  if (!/say-as/i.test(text)) return [];
  return ['en', ...new Set([...text.matchAll(languageAttribute)].map(([, tag = '']) => languageTagOf(tag)))];
}
