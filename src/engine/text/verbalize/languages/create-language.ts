/**
 * A language whose numbers and units are those of CLDR, whose months and currencies are those of `Intl`, and which has what
 * they lack from its settings.
 */
import { addresses } from '../classes/addresses.ts';
import { namedDates, numericDates, years } from '../classes/dates.ts';
import { hyphens, identifiers, versions } from '../classes/identifiers.ts';
import { operators } from '../classes/maths.ts';
import { cardinals, fractionRanges, fractions, ordinalsWith, ratios } from '../classes/numbers.ts';
import { quantities } from '../classes/quantities.ts';
import { romansWith } from '../classes/romans.ts';
import { telephones } from '../classes/telephones.ts';
import { times } from '../classes/times.ts';
import type { Language, Place, SemioticClass } from '../language.ts';
import { numberOf } from '../numerals.ts';
import { cursorAt, foundAt, isBehind, isNext, take } from '../place.ts';
import type { Meaning } from '../semiotic.ts';
import { spellOut } from '../spell-out.ts';
import { abbreviationsOf } from './abbreviations.ts';
import { dateWords } from './date-words.ts';
import { icuTag, monthsOf } from './intl-names.ts';
import { localNames } from './local-names.ts';
import { moneyWords } from './money-words.ts';
import { numberWords } from './number-words.ts';
import { centuryForm, inCaseOfRuler, rulerForm, rulers } from './roman-ordinals.ts';
import type { LanguageSettings } from './settings.ts';
import { unitWords } from './unit-words.ts';

/** Where the number of an item stands. */
const itemStart = /(?:^|\n)[ \t]{0,8}$/;
/** Nouns that are counted with ordinals also where the number of an item could stand. */
const germanOrdinalNoun =
  /\.[ \u00a0](?:Weltkriege?s?|Stock|Etage|Platz|Liga|Bundesliga|Klasse|Quartal|Halbzeit|Runde|Geburtstag\p{L}*|Jahrhunderts?|Minute|Auflage|Mal|Mannschaft|Reihe|Spieltag|Advent|Oktober|Mai)(?!\p{L})/uy;
const nounOfOrdinal =
  /\.[ \u00a0](?:verdenskrig|etasje|etage|sal|klasse|divisjon|division|plass|plads|juledag|påskedag|kvartal|semester|gang|omgang|runde|halvleg|halvår|århundre\p{L}*|yüzyıl\p{L}*|kat(?!\p{L})|sınıf\p{L}*|dünya|piętro|miejsce|wojna|rocznica|wiek|kerros|luokka|maailmansota|vuosi\p{L}*|luku)/uy;
/** Before a number that is dialled. */
const telephoneWords =
  /(?<!\p{L})(?:tel|tél|téléphone|teléfono|telefon[eo]?|telefoon|tlf|tfn|puh|puhelin|тел|телефон|τηλ|τηλέφωνο|telp|telepon|điện thoại)[.:]{0,2}\s?$/iu;

/** `14.30 Uhr` and `9 Uhr`: a time by the word behind it, which the spoken time has already. */
const timesBefore = (word: RegExp): SemioticClass => ({
  ...times,
  find(place) {
    const found = times.find(place) ?? timeBefore(word, place);
    if (found === undefined) return undefined;
    const cursor = { text: place.text, at: found.end };
    take(cursor, word);
    return { ...found, end: cursor.at };
  },
});

function timeBefore(word: RegExp, place: Place) {
  if (!place.isBorder) return undefined;
  const cursor = cursorAt(place);
  const [, hour, minute] = take(cursor, /(\d{1,2})(?:[.:]([0-5]\d))?(?!\d|[.,:]\d)/y) ?? [];
  if (hour === undefined || Number(hour) > 24 || !isNext(place.text, cursor.at, word)) return undefined;
  return foundAt(cursor, {
    kind: 'time',
    first: { hour: Number(hour), minute: minute === undefined ? undefined : Number(minute) },
  });
}

/** `3.` is an ordinal behind an article in German, before a noun in Finnish and Turkish, but no item of a list. */
function ordinalsOf({ ordinals, ordinalBehind }: LanguageSettings): readonly SemioticClass[] {
  if (ordinals === undefined) return [];
  const of = ordinalsWith(ordinals);
  return [
    {
      ...of,
      find(place) {
        const found = of.find(place);
        if (found?.meaning.kind !== 'ordinal' || found.meaning.mark !== '.') return found;
        const point = found.end - 1;
        const isNamed = isNext(place.text, point, nounOfOrdinal) || isNext(place.text, point, germanOrdinalNoun);
        const isMeant =
          isNamed || (ordinalBehind === undefined ? !isBehind(place, itemStart) : isBehind(place, ordinalBehind));
        return isMeant ? found : undefined;
      },
    },
  ];
}

const never = /(?!)/uy;

function romansOf({ countedRomans, ruler, century = never }: LanguageSettings): readonly SemioticClass[] {
  if (countedRomans === undefined && ruler === undefined) return [];
  const counted = new RegExp(String.raw`(?<!\p{L})(?:${countedRomans ?? '(?!)'})\s$`, 'iu');
  const ofRuler = ruler === undefined ? /(?!)/u : rulers;
  return [romansWith({ counted, countedLetter: counted, ruler: ofRuler, rulerLetter: ofRuler, century })];
}

export function createLanguage(tag: string, own: LanguageSettings): Language {
  const numbers = numberWords(tag, own);
  const { gap, isUnspaced, base, minus, point, join, firstForm, spell, whole, say } = numbers;
  const { signed, range, sayAmount, inCase, genitive, formOf } = numbers;
  const unitWordsOf = unitWords(numbers);
  const { genderOf, nounPattern, withPattern, sayUnit } = unitWordsOf;
  const sayMoney = moneyWords(numbers, unitWordsOf);
  const { sayYear, sayDay, sayDate, sayClock } = dateWords(numbers, unitWordsOf);
  const { names: monthNames, written: months } = monthsOf(tag);
  const numberFormat = new Intl.NumberFormat(icuTag(tag), { numberingSystem: 'latn' });
  const decimalMark = numberFormat.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
  const ordinalForm = (mark: string, place: Place): string =>
    firstForm(own.ordinalForm?.(mark, place) ?? 'ordinal', 'ordinal', 'ordinal-masculine');
  const abbreviations = abbreviationsOf(tag);
  const magnitudes = new Map(Object.entries(own.magnitudes ?? {}).filter(([, said]) => said !== ''));

  return {
    tag,
    decimalMark,
    dateOrder: own.dateOrder ?? 'dmy',
    months,
    weekdays: new Map(),
    magnitudes,
    moneyMagnitudes: new Map([...magnitudes, ...Object.entries(own.moneyMagnitudes ?? {})]),
    currencies: new Map(Object.entries(own.currencies ?? {})),
    units: new Map(Object.entries(own.units ?? {})),
    ...(own.isNoMeasure === undefined ? {} : { isNoMeasure: own.isNoMeasure }),
    cues: {
      telephone: telephoneWords,
      time: /(?<!\p{L})(?:kl\.?|klo|kello|klokken|klockan|pukul|jam|saat|um|om|ore|alle|à|às)\s$/iu,
    },
    classes: [
      addresses,
      ...(abbreviations === undefined ? [] : [abbreviations]),
      ...romansOf(own),
      namedDates,
      numericDates,
      own.clockWord === undefined ? times : timesBefore(own.clockWord),
      years,
      telephones,
      ...localNames(tag),
      versions,
      identifiers,
      ...quantities,
      ...ordinalsOf(own),
      fractions,
      fractionRanges,
      operators,
      ...(own.classes ?? []),
      ratios,
      cardinals,
      hyphens,
    ],
    sayNumeral: (numeral) => say(numeral),
    sayAmount: (amount) => sayAmount(amount),
    sayUnit,
    say: {
      cardinal({ amount }, place, end) {
        const { first, last } = amount;
        const { text } = place;
        const counted = amount.magnitude === undefined ? own.counted?.(text, end, numberOf(last ?? first)) : undefined;
        if (counted !== undefined && first.fraction === undefined) {
          const isJoined = own.spaceBehindCount && !isNext(text, end, /\s/y);
          return sayAmount(amount, counted) + (isJoined ? ' ' : '');
        }
        const year =
          typeof own.yearForm === 'function' &&
          /^[12]\d{3}$/.test(first.whole) &&
          first.fraction === undefined &&
          last === undefined
            ? own.yearForm(place, end)
            : undefined;
        if (year !== undefined) return sayYear(first.whole, place, end);
        const hundreds =
          own.countedYears !== undefined && last === undefined && !first.grouped && /^1[1-9]\d\d$/.test(first.whole);
        const said = sayAmount(
          amount,
          hundreds && first.fraction === undefined ? own.countedYears : inCase(amount, place, end),
        );
        return own.linker !== undefined && isNext(text, end, /\s\p{L}/uy) ? own.linker(said) : said;
      },
      ordinal: ({ first, last, mark = '' }, place, end) => {
        const form = ordinalForm(mark.trim(), place);
        const said = whole(first, form);
        return last === undefined
          ? (own.ordinalWord?.(said, mark, place, end) ?? said)
          : range(whole(first, form), whole(last, form));
      },
      fraction({ unit, ...fraction }, place, end) {
        const { above, below, whole: digits } = fraction;
        const gender = genderOf(unit?.of.id ?? '');
        const isHalf = above === '1' && below === '2' && digits === undefined;
        const noun = own.halfNoun?.(place.text, end);
        const half = own.halves?.[(unit === undefined ? noun : gender) as 'masculine'] ?? own.halves?.any;
        const said = isHalf && half !== undefined ? signed(fraction.sign, half) : sayFraction(fraction);
        if (said === undefined || unit === undefined) return said;
        // "a quarter of a liter"
        const isPart = digits === undefined && (own.halves !== undefined || own.partOf !== undefined);
        const pattern = nounPattern(unit.of.id, { first: isPart ? { whole: '1' } : { whole: '0', fraction: '5' } });
        const of =
          isPart && own.parts?.[below] !== undefined && own.partOf !== undefined ? `${said} ${own.partOf}` : said;
        return unit.per !== undefined || unit.of.power !== undefined || pattern === undefined
          ? undefined
          : withPattern(pattern, of);
      },
      percent({ amount, mark }, place, end) {
        const unit = mark === '‰' ? 'permille' : 'percent';
        const form = genitive(amount, place, end);
        const pattern = nounPattern(unit, amount, form);
        if (pattern === undefined || /[%‰٪]/.test(pattern)) {
          return own.percent === undefined ? undefined : join(sayAmount(amount), mark === '‰' ? '‰' : own.percent);
        }
        return withPattern(pattern, sayAmount(amount, form ?? formOf(genderOf(unit))));
      },
      money: sayMoney,
      measure: ({ amount, unit }, place, end) => sayUnit(amount, unit, genitive(amount, place, end)),
      measures: ({ parts }) => {
        const said = parts.map(([number, unit]) => sayUnit({ first: number }, { of: { id: unit } }));
        return said.includes(undefined) ? undefined : said.join(' ');
      },
      date(meaning, place) {
        const { year, month = 1, day, lastDay } = meaning;
        const spokenYear = year === undefined ? undefined : sayYear(year);
        if (day === undefined) return join(monthNames[month - 1] ?? '', spokenYear ?? '');
        const days = lastDay === undefined ? sayDay(day, place) : range(sayDay(day, place), sayDay(lastDay, place));
        if (own.date !== undefined) return own.date(days, spellOut(tag, base, month), spokenYear);
        return sayDate(days, monthNames[month - 1] ?? '', spokenYear);
      },
      year: ({ first, last, era }, place, end) =>
        era !== undefined
          ? undefined
          : last === undefined
            ? sayYear(first, place, end)
            : range(sayYear(first, place, end), sayYear(last, place, end)),
      decade: () => undefined,
      time: ({ first, last, zone = '' }, place) =>
        join(last === undefined ? sayClock(first, place) : range(sayClock(first, place), sayClock(last, place)), zone),
      duration: ({ parts }, place) => {
        const [[hours = '', of] = [], [minutes] = []] = parts;
        // `14h30`
        if (own.letterOfHours === 'clock' && of === 'hour' && parts.length === 2 && Number(hours) <= 24)
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
          return whole(String(value), centuryForm(tag, place, end) ?? ordinalForm('', place));
        return own.ruler(
          inCaseOfRuler(tag, place, whole(String(value), firstForm(rulerForm(tag, place), 'ordinal'))),
          whole(String(value)),
          value,
        );
      },
      ratio: ({ numbers }) =>
        numbers
          .map((number) => say(number))
          .join(
            own.score === ''
              ? gap
              : own.score !== undefined
                ? `${gap}${own.score}${gap}`
                : isUnspaced
                  ? ':'
                  : ` ${own.to} `,
          ),
      dimensions({ numbers, unit }) {
        if (own.by === undefined) return undefined;
        const last = numbers.at(-1) ?? { whole: '0' };
        const said = numbers
          .slice(0, -1)
          .map((number) => join(say(number), own.by ?? ''))
          .join(gap);
        const end = unit === undefined ? say(last) : sayUnit({ first: last }, unit);
        return end === undefined ? undefined : join(said, end);
      },
      multiplier: ({ amount }) => (own.times === undefined ? undefined : join(sayAmount(amount), own.times)),
      operator({ sign }, { before }) {
        const word = { '+': own.plus, '=': own.equals, '-': minus, '−': minus, '×': own.by, to: own.to }[sign];
        if (word === undefined) return undefined;
        return isUnspaced ? word : `${before === '' || /\s$/.test(before) ? '' : ' '}${word} `;
      },
      power: () => undefined,
      version: ({ parts, release = [] }) =>
        join(
          parts.map((part) => whole(part)).join(isUnspaced ? point : ` ${point} `),
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
    },
  };

  function sayFraction({
    sign,
    whole: digits,
    above,
    below,
  }: Omit<Meaning<'fraction'>, 'kind' | 'unit'>): string | undefined {
    const parts = own.parts?.[below];
    if (parts !== undefined && Number(above) < Number(below) && Number(above) > 0) {
      const [one, many] = parts;
      const gender = own.partGender ?? (/a$/.test(one) ? 'feminine' : 'masculine');
      const part = join(whole(above, formOf(gender)), above === '1' ? one : many);
      return signed(sign, digits === undefined ? part : join(whole(digits), own.and ?? '', part));
    }
    const [, demi] = /^un (demi)$/.exec(own.half ?? '') ?? [own.halves?.masculine, own.halves?.masculine];
    if (above === '1' && below === '2' && digits !== undefined && own.and !== undefined && demi !== undefined)
      return signed(sign, join(whole(digits), own.and, demi));
    if (above === '1' && below === '2' && own.half !== undefined)
      return signed(sign, digits === undefined ? own.half : `${whole(digits)}${gap}${own.half}`);
    if (own.over === undefined) return undefined;
    const part =
      own.fractionOrder === 'below first'
        ? join(whole(below), own.over, whole(above))
        : join(whole(above), own.over, whole(below));
    return signed(sign, join(digits === undefined ? '' : whole(digits), part));
  }
}
