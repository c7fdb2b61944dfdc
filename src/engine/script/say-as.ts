/** `<say-as>` of SSML: a text read in a stated way. Numbers are said in Chinese where the language is, else in English. */
import { sayChinese, spellChinese } from '../text/verbalize/languages/chinese.ts';
import {
  sayEnglish,
  sayEnglishOrdinal,
  sayEnglishYear,
  spellEnglish,
} from '../text/verbalize/languages/english/numbers.ts';
import { verbalizeText } from '../text/verbalize/verbalize.ts';

export interface SayAs {
  readonly interpretAs: string;
  readonly format?: string | undefined;
  readonly language?: string | undefined;
}

const isEnglish = (language: string | undefined): boolean => /^en\b/i.test(language ?? 'en');
const isChinese = (language: string | undefined): boolean => /^(zh|cmn|yue)\b/i.test(language ?? '');

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

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
  const order = [
    ...(format ?? '')
      .toLowerCase()
      .replace(/[^ymd]/g, '')
      .replace(/(.)\1+/g, '$1'),
  ];
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
  const values =
    hours !== undefined && minutes === undefined && !/["″”s]$/i.test(written)
      ? ([
          [hours, 'hour'],
          [seconds, 'minute'],
        ] as const)
      : ([
          [hours, 'hour'],
          [minutes, 'minute'],
          [seconds, 'second'],
        ] as const);
  const said = values.flatMap(([value, unit]) => (Number(value ?? 0) === 0 ? [] : [counted(value ?? '', unit)]));
  if (said.length === 0) return 'zero seconds';
  return said.length === 3 ? `${said[0]}, ${said[1]} and ${said[2]}` : said.join(' and ');
}

const counted = (value: string, unit: string): string =>
  `${sayEnglish(String(Number(value)))} ${unit}${Number(value) === 1 ? '' : 's'}`;

/** The text as it is to be spoken; undefined when `interpretAs` is unknown or doesn't fit the text. */
export function sayAs(text: string, { interpretAs, format, language }: SayAs): string | undefined {
  const chinese = isChinese(language);
  const number = text.trim();
  switch (interpretAs.toLowerCase()) {
    case 'characters':
    case 'character':
    case 'spell-out':
    case 'verbatim':
    case 'letters':
      return spell(text);
    case 'digits':
    case 'number_digit':
      return chinese ? spellChinese(text) : spellEnglish(text);
    case 'cardinal':
    case 'number':
      if (!/^[+-]?\d[\d,]*(\.\d+)?$/.test(number)) return undefined;
      if (chinese) return number.replace(/^-/, '负').replace(/[\d,.]+/, sayChinese);
      return number
        .replace(/^-/, 'minus ')
        .replace(/^\+/, 'plus ')
        .replace(/[\d,.]+$/, sayEnglish);
    case 'ordinal': {
      const [, digits] = /^(\d+)(?:st|nd|rd|th)?$/i.exec(number) ?? [];
      if (digits === undefined) return undefined;
      return chinese ? `第${sayChinese(digits)}` : sayEnglishOrdinal(digits);
    }
    case 'fraction':
      return sayFraction(text);
    case 'telephone':
    case 'phone':
      return /\d/.test(text) ? spellGroups(text) : undefined;
    case 'date':
      return isEnglish(language) ? sayDate(text, format) : verbalizeText(text, { language });
    case 'duration':
      return sayDuration(text, format ?? 'hms') ?? verbalizeText(text);
    case 'time':
      return (chinese ? undefined : sayDuration(text, undefined)) ?? verbalizeText(text, { language });
    case 'name':
      return text;
    case 'currency':
    case 'unit':
    case 'address':
      return verbalizeText(text, { language });
    default:
      return undefined;
  }
}
