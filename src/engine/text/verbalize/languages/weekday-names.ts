/** `Mo–Fr`, `lun.-ven.`, and `Mo.,` before a date. */
import { tableOf } from '../../table.ts';
import type { Place, SemioticClass } from '../language.ts';
import { type Cursor, foundAt, isBehind, isNext, take } from '../place.ts';
import type { Calendar, Settings } from './settings.ts';

const short = /(\p{L}{1,4})\.?/uy;
const lastShort =
  / ?(?:[-–—] ?(\p{L}{1,4})(?![\p{L}\d-])|\/ ?(\p{L}{2,4})(?!\p{L})(?=\.? ?[\d:,]|\)))(?:\.(?=[,:;)]| [\p{Ll}\d(]))?/uy;

/** A time, behind a day alone; hours without minutes only in a list of times. */
const clockBehind = / \d{1,2}(?:[:.]\d\d(?!\d)|h(?!\p{L}))/uy;
const hoursBehind = / \d{1,2} ?[-–] ?\d{1,2}(?!\d)/y;
/** Another day of a list, which has a time: `вт, чт 10:00`. */
const nextDay = /(?:[,/&+] ?| (?:и|und|i|y|e|et|och|og|en|ja|ve|dan|και) )(\p{L}{2,4})\.?(?= \d)/uy;
const plainHours =
  / (?:(?:od|с) )?(\d{1,2})(?: ?[-–] ?| (?:do|до|viiva) )(\d{1,2})(?![\d:]|[.,]\d|[ \u00a0]?\p{L}{2})/uy;
const timesBefore = /(?:\d|Uhr|uur|h)[,;/] $/;

export function weekdayNames(
  { weekdays }: Calendar,
  { weekdays: others, weekdayRange, hours }: Settings,
): SemioticClass {
  const all = tableOf(`${weekdays}|${others ?? ''}`);
  const names = new Map(Object.entries(all).map(([written, said]) => [written.toLowerCase(), said]));
  const nameOf = (written: string | undefined): string | undefined => names.get((written ?? '').toLowerCase());
  /** `pon-pt 9-17`, in languages whose times of a range have a form of their own. */
  const withHours = (days: string, place: Place, cursor: Cursor): string => {
    const [, first, last] = hours === undefined ? [] : (take(cursor, plainHours) ?? []).map(Number);
    if (first === undefined || last === undefined) return days;
    const times = { kind: 'time', first: { hour: first }, last: { hour: last } } as const;
    return `${days} ${place.language.say.time(times, place, cursor.at)}`;
  };
  return {
    begins: 'letter',
    find(place, cursor) {
      if (!place.isBorder) return undefined;
      const [, one] = take(cursor, short) ?? [];
      const first = nameOf(one);
      if (first === undefined) return undefined;
      const end = cursor.at;
      const [, ending, alternative] = take(cursor, lastShort) ?? [];
      const last = nameOf(ending ?? alternative);
      if (last !== undefined && last !== first) {
        const sign = ending === undefined ? 'or' : 'to';
        const to = place.language.say.operator({ kind: 'operator', sign }, place, end)?.trim() ?? '';
        const range = ending === undefined ? undefined : weekdayRange?.(first, last);
        return foundAt(cursor, withHours(range ?? `${first} ${to} ${last}`, place, cursor));
      }
      cursor.at = end;
      const isDay =
        (place.text[end - 1] === '.' && isNext(place.text, end, /,| \d/y)) ||
        isNext(place.text, end, clockBehind) ||
        names.has(take({ text: place.text, at: end }, nextDay)?.[1]?.toLowerCase() ?? '') ||
        (isNext(place.text, end, hoursBehind) && isBehind(place, timesBefore));
      return isDay && one !== undefined && one.length > 1
        ? foundAt(cursor, withHours(first, place, cursor))
        : undefined;
    },
  };
}
