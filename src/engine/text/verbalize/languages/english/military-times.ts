/** Times in four digits: `0700 hours`, `at 1320 hrs`, `by 0745`. */
import { patternClass } from '../../pattern-class.ts';
import { isBehind } from '../../place.ts';
import { cardinal, sayPair } from './numbers.ts';

const clock = String.raw`((?:[01]\d|2[0-3])[0-5]\d)`;
const written = new RegExp(
  String.raw`${clock}(?:(?:[-–—]| [-–—] | to )${clock})?( ?(?:hours|hrs(?:\.(?= \p{Ll}))?|h))?(?![\p{L}\d]|[.,:]\d|[-–/]\d)`,
  'uy',
);
/** `after 1500 hours` may be a duration. */
const cue = /(?<!\p{L})(?:at|by|from|until|till|departs?|departing|leaves?|arrives?|arriving) $/iu;

function sayClock(time: string): string {
  const [hours, minutes] = [time.slice(0, 2), time.slice(2)];
  const hour = hours.startsWith('0') && hours !== '00' ? `zero ${cardinal(hours)}` : cardinal(hours);
  if (minutes === '00') return `${hour} hundred`;
  return `${hour} ${sayPair(minutes)}`;
}

export const militaryTimes = patternClass({ begins: ['digit'] }, written, ([, first = '', last, unit], place) => {
  const [beginsWithZero, hasCue] = [first.startsWith('0'), isBehind(place, cue)];
  if (unit === undefined ? !beginsWithZero || !hasCue : !beginsWithZero && !hasCue) return undefined;
  const times = [first, last].flatMap((time) => (time === undefined ? [] : [sayClock(time)])).join(' to ');
  return unit === undefined ? times : `${times} hours`;
});
