/** Days, years, dates and times of day in words. */
import type { Place } from '../language.ts';
import { isBehind } from '../place.ts';
import type { Clock } from '../semiotic.ts';
import type { NumberWords } from './number-words.ts';
import type { Calendar } from './settings.ts';
import type { UnitWords } from './unit-words.ts';

export type DateWords = ReturnType<typeof dateWords>;

export function dateWords(
  calendar: Calendar,
  { own, spellOut, base, join, firstForm, whole }: NumberWords,
  { sayUnit }: UnitWords,
) {
  const sayYear = (digits: string, place?: Place, end?: number): string => {
    const { yearForm } = own;
    const form =
      typeof yearForm !== 'function'
        ? yearForm
        : place === undefined || end === undefined
          ? undefined
          : (yearForm(place, end) ?? base);
    // A year below 1100 or above 2099 is read as any number.
    const said = whole(digits, form ?? own.dateYearForm ?? base);
    return own.sayYear?.(said) ?? said;
  };
  const sayDay = (day: number, place: Place): string => {
    const usual = typeof own.dayForm === 'function' ? own.dayForm(place) : own.dayForm;
    const form = day === 1 && own.firstDay !== undefined ? own.firstDay : usual;
    return spellOut(form === undefined ? firstForm('cardinal-masculine', 'cardinal') : firstForm(form), day);
  };
  const sayDate = (day: string, month: string, year: string | undefined): string => {
    const values: Readonly<Record<string, string>> = { day, month, year: year ?? '' };
    return (year === undefined ? calendar.dayAndMonth : calendar.date)
      .replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
      .replace(/\s{2,}/g, ' ')
      .trim();
  };
  /** @param ofRange the form of a time in a range */
  const sayClock = ({ hour, minute, second, half }: Clock, place: Place, ofRange?: string): string => {
    const ownForm = ofRange ?? (typeof own.hourForm === 'function' ? own.hourForm(place) : own.hourForm);
    const hourForm = firstForm(...(ownForm === undefined ? [] : [ownForm]));
    const isNative = hourForm === 'cardinal-native-attributive';
    const hours =
      hour === 0 && ownForm?.startsWith('ordinal')
        ? spellOut(base, 0)
        : spellOut(isNative && (hour > 12 || hour === 0) ? base : hourForm, hour);
    const minuteForm = ofRange === undefined || ofRange.startsWith('ordinal') ? base : hourForm;
    const minutes = minute === undefined || minute === 0 ? '' : spellOut(minuteForm, minute);
    const alone =
      ofRange !== undefined
        ? hours
        : own.hour === undefined
          ? (sayUnit({ first: { whole: String(hour) } }, { of: { id: 'hour' } }) ?? hours)
          : own.hour(hours);
    const clock = minutes === '' ? alone : own.clock === undefined ? join(hours, minutes) : own.clock(hours, minutes);
    const seconds =
      second === undefined || second === 0
        ? ''
        : (sayUnit({ first: { whole: String(second) } }, { of: { id: 'second' } }) ?? '');
    return join(clock, seconds, half ?? '');
  };
  /** `9:00–17:30` */
  const sayClocks = (clocks: readonly Clock[], place: Place): string | undefined => {
    const isStarted = isBehind(place, new RegExp(String.raw`(?<!\p{L})(?:${own.hours?.[0]?.[0] ?? ''})\s$`, 'iu'));
    const said = own.hours?.map(([word, form], index) =>
      join(index === 0 && isStarted ? '' : word, sayClock(clocks[index] ?? { hour: 0 }, place, form)),
    );
    return said && join(...said);
  };
  return { sayYear, sayDay, sayDate, sayClock, sayClocks };
}
