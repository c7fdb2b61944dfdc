/** Days, years, dates and times of day in words. */
import { listWord } from '../classes/between-values.ts';
import type { Clock, Meaning, Place, Sayings, Sign } from '../language.ts';
import { isBehind } from '../place.ts';
import type { NumberWords, UnitWords } from './number-words.ts';
import { type Calendar, fill } from './settings.ts';

/** `GMT-3` */
const sayZone = (zone: string, { join, signed, whole }: NumberWords): string =>
  zone
    .replaceAll('.', '')
    .toUpperCase()
    .replace(
      /([+-])(\d{1,2})(?::?(\d\d))?/,
      (_, sign: Sign, hours, minutes) =>
        ` ${signed(sign, join(whole(String(Number(hours))), minutes === undefined ? '' : whole(minutes)))}`,
    );

export function dateWords(calendar: Calendar, numbers: NumberWords, { sayUnit }: UnitWords) {
  const { own, spellOut, base, join, firstForm, whole, range } = numbers;
  const monthNames = calendar.months.split('|');
  const counted = (value: number | string, unit: string): string | undefined =>
    sayUnit({ first: { whole: String(value) } }, { of: { id: unit } });
  const sayYear = (digits: string, place?: Place, end?: number): string => {
    const { yearForm } = own;
    const inPlace = place === undefined || end === undefined ? undefined : { place, end };
    const form = typeof yearForm === 'string' ? yearForm : inPlace && (yearForm?.(inPlace.place, inPlace.end) ?? base);
    // A year below 1100 or above 2099 is read as any number.
    const said = whole(digits, form ?? own.dateYearForm ?? base);
    return own.sayYear?.(said) ?? said;
  };
  const sayDay = (day: number, place: Place): string => {
    const usual = typeof own.dayForm === 'function' ? own.dayForm(place, place.start) : own.dayForm;
    const form = day === 1 && own.firstDay !== undefined ? own.firstDay : usual;
    return spellOut(form === undefined ? firstForm('cardinal-masculine', 'cardinal') : firstForm(form), day);
  };
  const [ownDate, ownDateOfYear] = own.date?.split('|') ?? [];
  const sayDate = (day: string, month: number, year: string | undefined): string => {
    const ownPattern = year === undefined ? ownDate : ownDateOfYear;
    const said = spellOut(base, month);
    if (ownPattern !== undefined) return fill(ownPattern, day, own.monthName?.(said) ?? said, year ?? '');
    const values: Readonly<Record<string, string>> = { day, month: monthNames[month - 1] ?? '', year: year ?? '' };
    return (year === undefined ? calendar.dayAndMonth : calendar.date)
      .replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
      .replace(/\s{2,}/g, ' ')
      .trim();
  };
  /** @param ofRange the form of a time in a range */
  const sayClock = ({ hour, minute = 0, second = 0, half }: Clock, place: Place, ofRange?: string): string => {
    const ownForm = ofRange ?? (typeof own.hourForm === 'function' ? own.hourForm(place, place.start) : own.hourForm);
    const hourForm = firstForm(...(ownForm === undefined ? [] : [ownForm]));
    const isNative = hourForm === 'cardinal-native-attributive' && (hour > 12 || hour === 0);
    const isZero = hour === 0 && ownForm?.startsWith('ordinal');
    const hours = whole(String(hour), isZero || isNative ? base : hourForm);
    const minuteForm = ofRange === undefined || ofRange.startsWith('ordinal') ? base : hourForm;
    const isBare = own.clock === undefined || own.clock === '{0} {1}';
    // "eight oh seven", where no word is between them
    const zero = minute > 0 && minute < 10 && isBare ? `${spellOut(base, 0)} ` : '';
    const minutes = minute === 0 ? '' : zero + spellOut(minuteForm, minute);
    const ofHour = own.hour === undefined ? (counted(hour, 'hour') ?? hours) : fill(own.hour, hours);
    const alone = ofRange === undefined ? ofHour : hours;
    const withMinutes = own.clock === undefined ? join(hours, minutes) : fill(own.clock, hours, minutes, alone);
    const day = half === undefined ? '' : (own.dayHalves?.split('|')[half === 'AM' ? 0 : 1] ?? '');
    const isSaid = day !== '' && place.before.trimEnd().endsWith(day);
    const said = join(isSaid ? '' : day, minutes === '' ? alone : withMinutes);
    const seconds = second === 0 ? '' : (counted(second, 'second') ?? '');
    const isJoined = minutes === '' || seconds === '' || !(isBare || own.clock?.endsWith('{1}'));
    return join(
      isJoined ? join(said, seconds) : said + listWord(numbers.intlTag, 'conjunction') + seconds,
      day === '' ? (half ?? '') : '',
    );
  };
  const isStarted = new RegExp(String.raw`(?<!\p{L})(?:${own.hours?.[0]?.[0] ?? ''})\s$`, 'iu');
  /** `9:00–17:30` */
  const sayClocks = (clocks: readonly Clock[], place: Place): string | undefined => {
    const said = own.hours?.map(([word, form], index) =>
      join(index === 0 && isBehind(place, isStarted) ? '' : word, sayClock(clocks[index] ?? { hour: 0 }, place, form)),
    );
    return said && join(...said);
  };
  const date = (meaning: Meaning<'date'>, place: Place): string => {
    const { year, month = 1, day, lastDay, lastMonth } = meaning;
    const spokenYear = year === undefined ? undefined : sayYear(year);
    if (lastMonth !== undefined) {
      const alone = { ...meaning, lastMonth: undefined, lastDay: undefined };
      const last = date({ ...alone, month: lastMonth, day: lastDay }, place);
      return range(date({ ...alone, year: undefined }, place), last);
    }
    if (day === undefined && ownDateOfYear !== undefined && spokenYear !== undefined) {
      // `{2}年{1}月` of the pattern of a date, `tháng {1} năm {2}`
      const pattern = ownDateOfYear.replace(/^\{0\} |(?<=.) ?\{0\}.*/, '');
      const [first = ''] = pattern.split('{1}');
      const said = spellOut(base, month);
      return fill(
        pattern.slice(place.before.endsWith(first) ? first.length : 0),
        '',
        own.monthName?.(said) ?? said,
        spokenYear,
      );
    }
    if (day === undefined) return join(monthNames[month - 1] ?? '', spokenYear ?? '');
    const days = lastDay === undefined ? sayDay(day, place) : range(sayDay(day, place), sayDay(lastDay, place));
    return sayDate(days, month, spokenYear);
  };
  return {
    sayYear,
    say: {
      date,
      year({ first, last, era }, place, end) {
        if (era !== undefined) return undefined;
        const said = sayYear(first, place, end);
        return last === undefined ? said : range(said, sayYear(last, place, end));
      },
      time: ({ first, last, zone = '' }, place) =>
        join(
          last === undefined
            ? sayClock(first, place)
            : (sayClocks([first, last], place) ?? range(sayClock(first, place), sayClock(last, place))),
          sayZone(zone, numbers),
        ),
      duration({ parts }, place, end) {
        const [[hours = '', of] = [], [minutes] = []] = parts;
        // `14h30`
        const isClock = own.letterOfHours === 'clock' && of === 'hour' && parts.length === 2 && Number(hours) <= 24;
        if (isClock && !/\d ?m(?:in)?$/.test(place.text.slice(place.start, end)))
          return sayClock({ hour: Number(hours), minute: Number(minutes) }, place);
        const said = parts.filter(([number]) => number !== '0').map(([number, unit]) => counted(number, unit));
        return said.includes(undefined) ? undefined : join(...said.map((word) => word ?? ''));
      },
      matchMinute({ minute, added }) {
        const minutes = counted(added ?? minute, 'minute');
        return added === undefined || minutes === undefined ? minutes : join(whole(minute), own.plus ?? '', minutes);
      },
    } satisfies Partial<Sayings>,
  };
}
export type DateWords = ReturnType<typeof dateWords>;
