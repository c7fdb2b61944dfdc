/**
 * A language whose numbers and units are those of CLDR, whose months and currencies are those of `Intl`, and which has what
 * they lack from its settings.
 */
import { mapOf, tableOf } from '../../table.ts';
import { addresses, socialNames } from '../classes/addresses.ts';
import { namedDates, numericDates } from '../classes/dates.ts';
import { identifiers } from '../classes/identifiers.ts';
import { numbersInOrder } from '../classes/in-order.ts';
import { countsPer } from '../classes/measures.ts';
import { ordinalsWith } from '../classes/numbers.ts';
import { romansWith } from '../classes/romans.ts';
import { telephones } from '../classes/telephones.ts';
import { times, timesBefore } from '../classes/times.ts';
import { decadesWith, years } from '../classes/years.ts';
import type { Language, SemioticClass } from '../language.ts';
import { isBehind, isNext } from '../place.ts';
import { createSpelling } from '../spell-out.ts';
import { abbreviationsOf } from './abbreviations.ts';
import { dateWords } from './date-words.ts';
import { halvesBehindNouns, pricesPerAmount } from './families.ts';
import { moneyWords } from './money-words.ts';
import { numberWords, unitWords } from './number-words.ts';
import { amountSayings, fractionSaying, nameSayings, rulers } from './sayings.ts';
import { type LanguageSettings, type LanguageSource, type Settings, settingsOf } from './settings.ts';
import { weekdayNames } from './weekday-names.ts';

/** Place of the number of an item. */
const itemStart = /(?:^|\n)[ \t]{0,8}$/;
const never = /(?!)/uy;

/** `3.` is an ordinal behind an article in German, before a noun in Finnish and Turkish, but no item of a list. */
function ordinalsOf({ ordinals = never, ordinalBehind, ordinalNouns = never }: Settings): SemioticClass {
  const of = ordinalsWith(ordinals);
  return {
    ...of,
    find(place, cursor) {
      const found = of.find(place, cursor);
      if (found?.meaning.kind !== 'ordinal' || found.meaning.mark !== '.') return found;
      const isMeant =
        isNext(place.text, found.end - 1, ordinalNouns) ||
        (ordinalBehind === undefined ? !isBehind(place, itemStart) : isBehind(place, ordinalBehind));
      return isMeant ? found : undefined;
    },
  };
}

function romansOf({ countedRomans = '(?!)', ruler, century = never }: Settings): SemioticClass {
  const counted = new RegExp(String.raw`(?<!\p{L})(?:${countedRomans})\s$`, 'iu');
  const ofRuler = ruler === undefined ? /(?!)/u : rulers;
  return romansWith({ counted, countedLetter: counted, ruler: ofRuler, rulerLetter: ofRuler, century });
}

const behind = (words: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${words})(?:\s|(?<=['’]))$`, 'iu');
/** A class or pattern made of a setting, in a list that is empty without it. */
const made = <Setting, Made>(setting: Setting | undefined, make: (setting: Setting) => Made): readonly Made[] =>
  setting === undefined ? [] : [make(setting)];

export function defineLanguage(tag: string, source: LanguageSource, settings: LanguageSettings): Language {
  const { calendar, unitNames, numberRules } = source;
  const own = settingsOf(settings);
  const spelling = createSpelling(tag, numberRules);
  const numbers = numberWords(tag, spelling, own);
  const units = unitWords(unitNames, numbers);
  const dates = dateWords(calendar, numbers, units);
  const dateOrder = (own.dateOrder as Language['dateOrder'] | undefined) ?? 'dmy';
  const { magnitudes: magnitudeWords = '', spacing, isNoMeasure, unitSuffix, telephoneWords, timeWords } = own;
  const written = [...mapOf(magnitudeWords, ',')];
  // Whole words also in lower case.
  const magnitudes = [
    ...written.filter(([word]) => word.length > 4).map(([word, said]) => [word.toLowerCase(), said] as const),
    ...written,
  ];
  return {
    tag,
    spelling,
    decimalMark: calendar.decimalMark,
    dateOrder,
    shortDateOrder: (own.shortDateOrder as Language['dateOrder'] | undefined) ?? dateOrder,
    months: new Map([...mapOf(calendar.written)].map(([name, month]) => [name, Number(month)])),
    weekdays: new Map(),
    magnitudes: new Map(magnitudes),
    moneyMagnitudes: new Map([...magnitudes, ...mapOf(own.moneyMagnitudes ?? '', ',')]),
    currencies: mapOf(own.currencies ?? '', ','),
    units: mapOf(own.units ?? '', ','),
    spacing: spacing as Language['spacing'],
    isNoMeasure,
    unitSuffix,
    percentFirst: own.percentFirst !== undefined,
    capitalizesNouns: own.capitalizesNouns !== undefined,
    pointsDates: own.pointsDates !== undefined,
    dashesDates: own.dashesDates !== undefined,
    cues: {
      telephone: made(telephoneWords, (words) => new RegExp(String.raw`(?<!\p{L})(?:${words})[.:]{0,2}\s?$`, 'iu'))[0],
      time: made(timeWords, behind)[0],
      // With the endings of cases.
      date: behind(
        [
          own.dateWords ?? '(?!)',
          ...Object.values(tableOf(calendar.weekdays)).map(
            (day) => `${day.replace(/(?<=.{4})[аяa]$/u, '')}\\p{L}{0,4},?`,
          ),
        ].join('|'),
      ),
    },
    classes: [
      addresses,
      socialNames,
      ...made(own.abbreviations, abbreviationsOf),
      ...made(own.countedRomans ?? own.ruler, () => romansOf(own)),
      namedDates,
      numericDates,
      own.clockWord === undefined ? times : timesBefore(own.clockWord),
      years,
      ...made(own.decades, decadesWith),
      telephones,
      ...made(own.readsWeekdays, () => weekdayNames(calendar, own)),
      ...(own.names ?? []),
      ...(own.perWord?.startsWith('{1}') ? [pricesPerAmount(own.perWord)] : []),
      identifiers,
      ...numbersInOrder({
        amounts: [...made(own.halfBehind, () => halvesBehindNouns(numbers)), countsPer(units.countPer)],
        ordinals: made(own.ordinals, () => ordinalsOf(own)),
        others: own.classes ?? [],
      }),
    ],
    sayNumeral: (numeral) => numbers.say(numeral),
    sayAmount: (amount) => numbers.sayAmount(amount),
    say: {
      ...amountSayings(numbers, units, dates),
      fraction: fractionSaying(numbers, units),
      ...dates.say,
      money: moneyWords(numbers, units),
      ...nameSayings(numbers, units),
    },
  };
}
