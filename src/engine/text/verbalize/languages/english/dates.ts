/** Days, years and times of English in words, also times in four digits. */
import type { Place, Sayings } from '../../language.ts';
import { isBehind, isNext, patternClass } from '../../place.ts';
import type { Clock } from '../../semiotic.ts';
import { monthNames } from './calendar.ts';
import { cardinal, count, sayEnglishOrdinal, sayPair, sayWhole } from './numbers.ts';

export const sayDay = (day: number): string => sayEnglishOrdinal(String(day));
export const monthOf = (month: number | undefined): string => monthNames[(month ?? 1) - 1] ?? '';
/** The determiner is there already in `on the 4th of July`. */
export const isDetermined = /(?<!\p{L})(?:the|this|that|his|her|our|their|my|your|every|each)\s$/iu;

/** "nine oh five", "ten o'clock" before nothing else. */
function sayClock({ hour, minute, second, half }: Clock, alone: 'alone' | 'before another'): string {
  const words = [cardinal(String(hour))];
  if (minute !== undefined && minute !== 0)
    words.push(minute < 10 ? `oh ${cardinal(String(minute))}` : cardinal(String(minute)));
  if (second !== undefined && second !== 0) words.push(`and ${count(String(second), 'second', 'seconds')}`);
  if (half !== undefined) words.push(half);
  else if (words.length === 1 && alone === 'alone') words.push("o'clock");
  return words.join(' ');
}

export const sayTime: Sayings['time'] = ({ first, last, zone }) => {
  const named =
    zone === undefined
      ? ''
      : ` ${zone
          .replace(/\./g, '')
          .toUpperCase()
          .replace(/\d+/g, (digits) => ` ${sayWhole(String(Number(digits)))}`)
          .replace('+', ' plus')
          .replace('-', ' minus')}`;
  if (last === undefined) {
    const isMidnight = first.hour === 0 && !first.minute && !first.second && first.half === undefined;
    return (isMidnight ? 'midnight' : sayClock(first, 'alone')) + named;
  }
  // "nine to seventeen o'clock", "eight thirty to ten o'clock"
  const isAlike = first.minute === undefined || first.minute === 0;
  return `${sayClock(first, isAlike || first.half !== undefined ? 'before another' : 'alone')} to ${sayClock(last, 'alone')}${named}`;
};

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
const militaryRange = new RegExp(
  String.raw`${militaryClock}(?:(?:[-–—]| [-–—] | to )${militaryClock})?( ?(?:hours|hrs(?:\.(?= \p{Ll}))?|h))?(?![\p{L}\d]|[.,:]\d|[-–/]\d)`,
  'uy',
);
/** `after 1500 hours` may be a duration. */
const militaryCue = /(?<!\p{L})(?:at|by|from|until|till|departs?|departing|leaves?|arrives?|arriving) $/iu;

function sayMilitaryClock(time: string): string {
  const [hours, minutes] = [time.slice(0, 2), time.slice(2)];
  const hour = hours.startsWith('0') && hours !== '00' ? `zero ${cardinal(hours)}` : cardinal(hours);
  if (minutes === '00') return `${hour} hundred`;
  return `${hour} ${sayPair(minutes)}`;
}

/** Times in four digits: `0700 hours`, `at 1320 hrs`, `by 0745`. */
export const militaryTimes = patternClass({ begins: ['digit'] }, militaryRange, ([, first = '', last, unit], place) => {
  const [beginsWithZero, hasCue] = [first.startsWith('0'), isBehind(place, militaryCue)];
  if (unit === undefined ? !beginsWithZero || !hasCue : !beginsWithZero && !hasCue) return undefined;
  const times = [first, last].flatMap((time) => (time === undefined ? [] : [sayMilitaryClock(time)])).join(' to ');
  return unit === undefined ? times : `${times} hours`;
});
