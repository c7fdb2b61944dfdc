/** Months, weekdays, quarters and decades of English, and the ranges between them. */
import { pattern } from '../../../pattern.ts';
import { mapOf } from '../../../table.ts';
import type { Place } from '../../language.ts';
import { endsSentence, isBehind, isNext, patternClass, take, tokenClass } from '../../place.ts';
import { cardinal, monthNames, sayHundreds } from './say.ts';

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
  { begins: 'letter digit', beginsWith: (word) => /^(?:Q|FY|H)/.test(word), digitsBefore: ['letter'], isCapital: true },
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
const quarterRanges = patternClass('letter', quarterRange, ([, letter, ...quarters], place) =>
  quarters.map((whole = '') => `${letter} ${place.language.sayNumeral({ whole })}`).join(' to '),
);

const day = '(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)';
/** `Mon–Fri`, `M–F, 8:30` */
const days = pattern('uy')`${day}\.?[-–]${day}(?![\p{L}\d])|(M)[-–](F|Th|Sa)(?=[,:]? \d)`;
const month =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
const dateDash = pattern('uy')` ?[-–—] ?(?=${month}\.? \d|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?!\p{L}))`;
const beforeDash = pattern('u')`(?:\d|${month}|day)$`;
const dayAlone = pattern('uy')`${day}\.?(?![\p{L}\d])`;
/** Signs that a short word is a day. */
const behindDay = pattern(
  'uy',
)`[,:]?\s\(?(?:\d|noon|at\s|@|\p{Lu}\p{Ll}{2,8}\.?\s\d)|\s?[&/+]\s?${day}|\s(?:and|or|to|through|thru)\s${day}`;
const beforeDay = pattern(
  'u',
)`(?<!\p{L})(?:on|by|until|till|closed|every|each|next|last|from|since|thru|through|${day}\s(?:and|or|to))\s$|${day}\.?\s?[&/+]\s?$`;

/** `Mon–Fri` */
const weekdayRanges = patternClass('letter', days, ([, ...names]) =>
  names
    .filter((name) => name !== undefined)
    .map((name) => weekdays.get({ M: 'mon', F: 'fri', Th: 'thu', Sa: 'sat' }[name] ?? name.toLowerCase()))
    .join(' to '),
);

/** `Jan 2023–Mar 2024`, `Monday–Friday` */
export const dateDashes = patternClass({ begins: 'sign', signs: '-–—' }, dateDash, (_, place) =>
  isBehind({ ...place, before: place.before.trimEnd() }, beforeDash) ? { kind: 'operator', sign: 'to' } : undefined,
);

/** `Tue 3/4`, `closed Sun`, `Sat & Sun`. */
const weekdayNames = patternClass('letter', dayAlone, ([written, name = ''], place, { at }) => {
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
  { begins: 'digit sign', signs: "'’", digitsBefore: ['letter', 'sign'] },
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

/** Words before a year rather than an amount, and words that show an amount. */
const yearWord =
  /(?<!\p{L})(?:in|since|until|till|during|circa|year|years|early|late|mid|spring|summer|autumn|fall|winter|of|by|from|to|and|before|after|around|between|season|election|class|©|copyright|january|february|march|april|may|june|july|august|september|october|november|december)[\s-]$/iu;
const strongYearWord =
  /(?<!\p{L})(?:in|since|until|during|circa|year|early|late|mid|spring|summer|autumn|winter|©|copyright)[\s-]$/iu;
const amountWord =
  /(?<!\p{L})(?:about|over|under|than|nearly|almost|approximately|some|only|up to|least|most|exactly|roughly|cost|costs|worth|pay|paid|all|another|these|those|number|level|score|scored|of the|pages?|lines?|step|equals|is|are|=|×|÷|\+)\s$/iu;
const determiner = /(?<!\p{L})(?:the|a|an|his|her|its|their|our|my|your|this|that|every)\s$/iu;
/** A counted noun: a plural in lower case that is none of the small words in -s. */
const plural =
  /\s(?!(?:is|was|has|as|its|this|us|his|thus|plus|minus|always|perhaps|does|yes|ours|hers|theirs|sometimes|besides|across|versus|unless|towards|afterwards|news)(?!\p{L}))(?:\p{Ll}{2,20}(?<!s|u)s|people|men|women|children|feet|fish|sheep|percent|more|or (?:more|less|fewer)|yen|yuan|won|baht|million|billion|thousand|hundred|head|mice|staff|cattle)(?!\p{L})/uy;

const events =
  /\s(?:elections|games|finals|championships|results|sales|figures|levels|prices|estimates|rules|regulations|floods|riots|protests|talks|reforms|models|playoffs|fires|attacks|riots|sessions|updates|editions)(?!\p{L})/uy;
/** Whether four digits are a year. Most are, unless things are counted. */
export function isYear(place: Place, end: number, digits: string): boolean | undefined {
  const number = Number(digits);
  if (/^0/.test(digits) || number < 1000 || number > 2999) return false;
  const { text, before } = place;
  if (
    /\p{Sc}\s?$|[-+=×÷*/^<>≥≤±#]\s?$/u.test(before) &&
    !/(?:(?<!\p{L})(?:mid|pre|post|early|late|\p{L}{3,})-|-> ?)$/iu.test(before)
  )
    return false;
  if (isNext(text, end, /\s?[%°=+×÷*]|\s?[x×]\s?\d/y)) return false;
  const isCounted = isNext(text, end, plural);
  if (isCounted) {
    // `the 1998 elections` and `the 1500 soldiers`
    const isRecent = number >= 1900 && number <= 2099;
    return (
      isRecent &&
      (determiner.test(before) || isNext(text, end, events)) &&
      !isNext(
        text,
        end,
        /\s(?:people|men|women|children|dollars|euros|pounds|miles|feet|meters|kilometers|calories|words|pages|books|units|points|soldiers|troops|users|employees|or|more)(?!\p{L})/uy,
      )
    );
  }
  if (strongYearWord.test(before)) return true;
  if (amountWord.test(before)) return false;
  if (number < 1100 || number > 2099)
    return yearWord.test(before) && isNext(text, end, /[,.;:!?)]|\s*$/y) && strongYearWord.test(before);
  return true;
}

const militaryClock = String.raw`((?:[01]\d|2[0-3])[0-5]\d)`;
const militaryRange = pattern(
  'uy',
)`${militaryClock}(?:(?:[-–—]| [-–—] | to )${militaryClock})?( ?(?:hours|hrs(?:\.(?= \p{Ll}))?|h))?(?![\p{L}\d]|[.,:]\d|[-–/]\d)`;
/** `after 1500 hours` may be a duration. */
const militaryCue = /(?<!\p{L})(?:at|by|from|until|till|departs?|departing|leaves?|arrives?|arriving) $/iu;

function sayMilitaryClock(time: string): string {
  const [hours, minutes] = [time.slice(0, 2), time.slice(2)];
  return `${hours.startsWith('0') && hours !== '00' ? 'zero ' : ''}${sayHundreds(hours, minutes)}`;
}

/** Times in four digits: `0700 hours`, `at 1320 hrs`, `by 0745`. */
export const militaryTimes = patternClass('digit', militaryRange, ([, first = '', last, unit], place) => {
  const [beginsWithZero, hasCue] = [first.startsWith('0'), isBehind(place, militaryCue)];
  if (unit === undefined ? !beginsWithZero || !hasCue : !beginsWithZero && !hasCue) return undefined;
  const times = [first, last].flatMap((time) => (time === undefined ? [] : [sayMilitaryClock(time)])).join(' to ');
  return unit === undefined ? times : `${times} hours`;
});
