/** Dates, times, numerals of names, identifiers and addresses in words. */
import { orOf } from '../classes/between-values.ts';
import type { Place, Sayings } from '../language.ts';
import { isBehind } from '../place.ts';
import type { Meaning } from '../semiotic.ts';
import type { DateWords } from './date-words.ts';
import type { NumberWords } from './number-words.ts';
import { inCaseOfRuler, rulerForm, rulers } from './rulers.ts';
import type { Calendar } from './settings.ts';
import type { UnitWords } from './unit-words.ts';

type Names =
  | 'date'
  | 'year'
  | 'decade'
  | 'time'
  | 'duration'
  | 'matchMinute'
  | 'telephone'
  | 'digits'
  | 'roman'
  | 'operator'
  | 'power'
  | 'version'
  | 'address'
  | 'code'
  | 'words';

export function nameSayings(
  calendar: Calendar,
  numbers: NumberWords,
  { sayUnit, perSign }: UnitWords,
  { sayYear, sayDay, sayDate, sayClock, sayClocks }: DateWords,
): Pick<Sayings, Names> {
  const {
    own,
    intlTag,
    isUnspaced,
    base,
    minus,
    point,
    join,
    firstForm,
    spell,
    spellOut,
    whole,
    say,
    range,
    ordinalForm,
  } = numbers;
  const monthNames = calendar.months.split('|');
  /** Word between the numbers of versions and machines, which isn't a decimal mark. */
  const dot = own.address?.[0] ?? point;
  const date = (meaning: Meaning<'date'>, place: Place): string => {
    const { year, month = 1, day, lastDay, lastMonth } = meaning;
    const spokenYear = year === undefined ? undefined : sayYear(year);
    if (lastMonth !== undefined) {
      const ends = { ...meaning, lastMonth: undefined, lastDay: undefined, year: undefined };
      const last = { ...meaning, lastMonth: undefined, lastDay: undefined, month: lastMonth, day: lastDay };
      return range(date(ends, place), date(last, place));
    }
    if (day === undefined) return join(monthNames[month - 1] ?? '', spokenYear ?? '');
    const days = lastDay === undefined ? sayDay(day, place) : range(sayDay(day, place), sayDay(lastDay, place));
    if (own.date !== undefined) return own.date(days, spellOut(base, month), spokenYear);
    return sayDate(days, monthNames[month - 1] ?? '', spokenYear);
  };
  return {
    date,
    year: ({ first, last, era }, place, end) =>
      era !== undefined
        ? undefined
        : last === undefined
          ? sayYear(first, place, end)
          : range(sayYear(first, place, end), sayYear(last, place, end)),
    decade: () => undefined,
    time: ({ first, last, zone = '' }, place) =>
      join(
        last === undefined
          ? sayClock(first, place)
          : (sayClocks([first, last], place) ?? range(sayClock(first, place), sayClock(last, place))),
        zone,
      ),
    duration: ({ parts }, place, end) => {
      const [[hours = '', of] = [], [minutes] = []] = parts;
      // `14h30`
      const isClock = own.letterOfHours === 'clock' && of === 'hour' && parts.length === 2 && Number(hours) <= 24;
      if (isClock && !/\d ?m(?:in)?$/.test(place.text.slice(place.start, end)))
        return sayClock({ hour: Number(hours), minute: Number(minutes) }, place);
      const said = parts.map(([number, unit]) => sayUnit({ first: { whole: number } }, { of: { id: unit } }));
      return said.includes(undefined) ? undefined : join(...said.map((word) => word ?? ''));
    },
    matchMinute({ minute, added }) {
      const minutes = sayUnit({ first: { whole: added ?? minute } }, { of: { id: 'minute' } });
      return added === undefined || minutes === undefined ? minutes : join(whole(minute), own.plus ?? '', minutes);
    },
    telephone: ({ groups }) => groups.map(spell).join(', '),
    digits: ({ groups }) => groups.map(spell).join(', '),
    roman({ value, form }, place, end) {
      if (form !== 'ordinal') return whole(String(value));
      if (own.ruler === undefined || !isBehind(place, rulers))
        return whole(String(value), own.centuryForm?.(place, end) ?? ordinalForm('', place));
      return own.ruler(
        inCaseOfRuler(own, place, whole(String(value), firstForm(rulerForm(own, place), 'ordinal'))),
        whole(String(value)),
        value,
      );
    },
    operator({ sign }, { before }) {
      const word = {
        '+': own.plus,
        '=': own.equals,
        '-': minus,
        '−': minus,
        '×': own.by,
        to: own.to,
        '->': own.change ?? own.to,
      }[sign];
      if (sign === 'per') return perSign();
      if (sign === 'or') return isUnspaced ? orOf(intlTag).trim() : orOf(intlTag);
      if (word === undefined) return undefined;
      return isUnspaced ? word : `${before === '' || /\s$/.test(before) ? '' : ' '}${word} `;
    },
    power: () => undefined,
    version: ({ parts, mask, port, release = [] }) =>
      join(
        parts.map((part) => whole(part)).join(isUnspaced ? dot : ` ${dot} `) +
          (port === undefined ? '' : `, ${whole(port)}`),
        ...(mask === undefined ? [] : [own.address?.[2] ?? '/', whole(mask)]),
        ...release.map((part) => (/\d/.test(part) ? whole(part) : part)),
      ),
    address({ text }) {
      if (own.address === undefined || /^[@#]/.test(text)) return undefined;
      const [dot, at, slash] = own.address;
      const names: Readonly<Record<string, string>> = { '.': dot, '@': at, '/': slash };
      return text
        .replace(/^(?:https?|ftp):\/\//iu, '')
        .replace(/\/$/, '')
        .replace(/[.@/]/g, (sign) => ` ${names[sign]} `)
        .replace(/\d{1,15}/g, (digits) => ` ${whole(digits)} `)
        .replace(/ {2,}/g, ' ')
        .trim();
    },
    code: ({ number }) => say(number),
    words: ({ spoken }) => spoken,
  };
}
