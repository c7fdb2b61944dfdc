/** Months, weekdays, quarters and decades of English, and the ranges between them. */

import { mapOf } from '../../../table.ts';
import { isBehind, isNext, patternClass, take, tokenClass } from '../../place.ts';
import { endsSentence } from '../../sentence-ends.ts';
import { cardinal } from './numbers.ts';

export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
);
export const months = new Map(
  monthNames.flatMap((name, index) =>
    [name, name.slice(0, 3), ...(name === 'September' ? ['sept'] : [])].map((written) => [
      written.toLowerCase(),
      index + 1,
    ]),
  ),
);
export const weekdays = mapOf(`
  monday=Monday|mon=Monday|tuesday=Tuesday|tue=Tuesday|tues=Tuesday|wednesday=Wednesday|wed=Wednesday|thursday=Thursday|
  thu=Thursday|thur=Thursday|thurs=Thursday|friday=Friday|fri=Friday|saturday=Saturday|sat=Saturday|sunday=Sunday|sun=Sunday
`);

const quarter = /(Q[1-4]|FY|H[12])(?:[ -]?((?:19|20)\d\d)| ?['’](\d\d))(?![\d\p{L}]|[.,]\d)/uy;
/** `2Q22`, `1H23` */
const countedQuarter = /([1-4])(Q|(?<=[12])H) ?['’]?((?:20)?[0-4]\d)(?![\d\p{L}]|[.,]\d)/uy;
const quarterRange = /(Q)([1-4]) ?[-–—] ?Q([1-4])(?![\d\p{L}])/uy;

/** `FY2024` and `Q3 2025`, whose number is a year. */
export const businessYears = tokenClass(
  {
    begins: ['letter', 'digit'],
    beginsWith: (word) => /^(?:Q|FY|H)/.test(word),
    digitsBefore: ['letter'],
    isCapital: true,
  },
  (cursor, place) => {
    const [, count, part, of = ''] = take(cursor, countedQuarter) ?? [];
    if (count !== undefined) {
      const ordinal = place.language.say.ordinal({ kind: 'ordinal', first: count }, place, cursor.at) ?? count;
      const first = of.length === 2 ? `20${of}` : of;
      const spoken = place.language.say.year({ kind: 'year', first }, place, cursor.at) ?? of;
      return `${ordinal} ${part === 'Q' ? 'quarter' : 'half'} ${spoken}`;
    }
    const [, name = '', full, year = full] = take(cursor, quarter) ?? [];
    if (year === undefined) return undefined;
    const [letters, digit] = name === 'FY' ? [name] : [name.slice(0, 1), name.slice(1)];
    const said = place.language.say.year({ kind: 'year', first: year }, place, cursor.at) ?? year;
    return `${letters}${digit === undefined ? '' : ` ${cardinal(digit)}`} ${said}`;
  },
);

/** `Q1-Q3` */
const quarterRanges = patternClass({ begins: ['letter'] }, quarterRange, ([, letter, ...quarters], place) =>
  quarters.map((whole = '') => `${letter} ${place.language.sayNumeral({ whole })}`).join(' to '),
);

const day = '(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)';
/** `Mon–Fri`, `M–F, 8:30` */
const days = new RegExp(String.raw`${day}\.?[-–]${day}(?![\p{L}\d])|(M)[-–](F|Th|Sa)(?=[,:]? \d)`, 'uy');
const month =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
const dateDash = new RegExp(
  String.raw` ?[-–—] ?(?=${month}\.? \d|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?!\p{L}))`,
  'uy',
);
const beforeDash = new RegExp(String.raw`(?:\d|${month}|day)$`, 'u');
const dayAlone = new RegExp(String.raw`${day}\.?(?![\p{L}\d])`, 'uy');
/** Signs that a short word is a day. */
const behindDay = new RegExp(
  String.raw`[,:]?\s\(?(?:\d|noon|at\s|@|\p{Lu}\p{Ll}{2,8}\.?\s\d)|\s?[&/+]\s?${day}|\s(?:and|or|to|through|thru)\s${day}`,
  'uy',
);
const beforeDay = new RegExp(
  String.raw`(?<!\p{L})(?:on|by|until|till|closed|every|each|next|last|from|since|thru|through|${day}\s(?:and|or|to))\s$|${day}\.?\s?[&/+]\s?$`,
  'u',
);

/** `Mon–Fri` */
const weekdayRanges = patternClass({ begins: ['letter'] }, days, ([, ...names]) =>
  names
    .filter((name) => name !== undefined)
    .map((name) => weekdays.get({ M: 'mon', F: 'fri', Th: 'thu', Sa: 'sat' }[name] ?? name.toLowerCase()))
    .join(' to '),
);

/** `Jan 2023–Mar 2024`, `Monday–Friday` */
export const dateDashes = patternClass({ begins: ['sign'], signs: '-–—', isGlued: true }, dateDash, (_, place) =>
  isBehind({ ...place, before: place.before.trimEnd() }, beforeDash) ? { kind: 'operator', sign: 'to' } : undefined,
);

/** `Tue 3/4`, `closed Sun`, `Sat & Sun`. */
const weekdayNames = patternClass({ begins: ['letter'] }, dayAlone, ([written, name = ''], place, { at }) => {
  if (!isNext(place.text, at, behindDay) && !isBehind(place, beforeDay)) return undefined;
  const stop = written.endsWith('.') && endsSentence(place.text, at, 'any capital') ? '.' : '';
  return `${weekdays.get(name.toLowerCase())}${stop}`;
});

/** Names that begin with a capital, as most words don't. */
export const calendarNames = [weekdayRanges, weekdayNames, quarterRanges];

const tens = 'hundreds tens twenties thirties forties fifties sixties seventies eighties nineties'.split(' ');

function sayDecade([century, ten]: readonly [century: string, ten: string]): string {
  if (century === '') return tens[Number(ten)] ?? '';
  if (ten === '0' && Number(century) % 10 === 0) return `${cardinal(century.slice(0, 1))} thousands`;
  return `${cardinal(century)} ${tens[Number(ten)]}`;
}

const decade = /(?:(1\d|20)(\d)0['’]?s|['’]?([2-9])0['’]?s)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy;
/** Before `30s` that are no seconds. */
const decadeCue =
  /(?<!\p{L})(?:(?:the|early|late|mid|her|his|their|my|our|your|its)[\s-](?:['’]?\d0s,? (?:and|or|to|through|&) )?|\d{4}s (?:and|or) )$/iu;
/** Things named by their decade: `80s music`. */
const ofDecade =
  /(?:-| )(?:music|movies?|films?|styles?|fashion|hits?|rock|pop|nostalgia|themed?|part(?:y|ies)|kids?|bab(?:y|ies)|era|cartoons?|hair|vibes?|classics?|sitcoms?|bands?|songs?|disco|playlists?|looks?|retro|outfits?|aesthetic)(?!\p{L})/uy;

export const decades = tokenClass(
  { begins: ['digit', 'sign'], signs: "'’", digitsBefore: ['letter', 'sign'] },
  (cursor, place) => {
    const decades: (readonly [string, string])[] = [];
    while (decades.length < 2) {
      const [written = '', century = '', ten, alone = ''] = take(cursor, decade) ?? [];
      if (written === '') break;
      // `wait 30s`
      const isBare = decades.length === 0 && /^\d{2}s/.test(written);
      if (isBare && !decadeCue.test(place.before) && !isNext(place.text, cursor.at, ofDecade)) return undefined;
      // `2010's 308.7 million`, which 2010 had
      if (/['’]s$/.test(written) && isNext(place.text, cursor.at, / \d/y)) return undefined;
      decades.push([century, ten ?? alone]);
      if (!isNext(place.text, cursor.at, /[-–](?=['’]?\d{2,4}['’]?s)/y)) break;
      cursor.at += 1;
    }
    return decades.length === 0 ? undefined : decades.map(sayDecade).join(' to ');
  },
);
