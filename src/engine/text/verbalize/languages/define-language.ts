/**
 * A language whose numbers and units are those of CLDR, whose months and currencies are those of `Intl`, and which has what
 * they lack from its settings.
 */

import { tableOf } from '../../table.ts';
import { addresses } from '../classes/addresses.ts';
import { betweenValues } from '../classes/between-values.ts';
import { namedDates, numericDates } from '../classes/dates.ts';
import { hyphens, identifiers, letterPairs, versions } from '../classes/identifiers.ts';
import { operators } from '../classes/maths.ts';
import { cardinals, fractionRanges, fractions, itemNumbers, ordinalsWith, ratios } from '../classes/numbers.ts';
import { quantities } from '../classes/quantities.ts';
import { romansWith } from '../classes/romans.ts';
import { telephones } from '../classes/telephones.ts';
import { times, timesBefore } from '../classes/times.ts';
import { decadesWith, years } from '../classes/years.ts';
import type { Language, SemioticClass } from '../language.ts';
import { isBehind, isNext } from '../place.ts';
import { createSpelling } from '../spell-out.ts';
import { abbreviationsOf } from './abbreviations.ts';
import { amountSayings } from './amount-sayings.ts';
import { dateWords } from './date-words.ts';
import { moneyWords } from './money-words.ts';
import { nameSayings } from './name-sayings.ts';
import { numberWords } from './number-words.ts';
import { halvesBehindNouns } from './romance.ts';
import { rulers } from './rulers.ts';
import type { LanguageSettings, LanguageSource } from './settings.ts';
import { unitWords } from './unit-words.ts';
import { weekdayNames } from './weekday-names.ts';

/** Place of the number of an item. */
const itemStart = /(?:^|\n)[ \t]{0,8}$/;
const never = /(?!)/uy;

/** `3.` is an ordinal behind an article in German, before a noun in Finnish and Turkish, but no item of a list. */
function ordinalsOf({ ordinals, ordinalBehind, ordinalNouns = never }: LanguageSettings): readonly SemioticClass[] {
  if (ordinals === undefined) return [];
  const of = ordinalsWith(ordinals);
  return [
    {
      ...of,
      find(place, cursor) {
        const found = of.find(place, cursor);
        if (found?.meaning.kind !== 'ordinal' || found.meaning.mark !== '.') return found;
        const isNamed = isNext(place.text, found.end - 1, ordinalNouns);
        const isMeant =
          isNamed || (ordinalBehind === undefined ? !isBehind(place, itemStart) : isBehind(place, ordinalBehind));
        return isMeant ? found : undefined;
      },
    },
  ];
}

function romansOf({ countedRomans, ruler, century = never }: LanguageSettings): readonly SemioticClass[] {
  if (countedRomans === undefined && ruler === undefined) return [];
  const counted = new RegExp(String.raw`(?<!\p{L})(?:${countedRomans ?? '(?!)'})\s$`, 'iu');
  const ofRuler = ruler === undefined ? /(?!)/u : rulers;
  return [romansWith({ counted, countedLetter: counted, ruler: ofRuler, rulerLetter: ofRuler, century })];
}

const mapOf = (values: Readonly<Record<string, string>> = {}): ReadonlyMap<string, string> =>
  new Map(Object.entries(values));
const behind = (words: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${words})(?:\s|(?<=['’]))$`, 'iu');

/** @returns a function that creates the language */
export const defineLanguage = (tag: string, source: LanguageSource, own: LanguageSettings) => (): Language =>
  createLanguage(tag, source, own);

function createLanguage(tag: string, source: LanguageSource, own: LanguageSettings): Language {
  const { calendar, unitNames, numberRules } = source;
  const { spelling = createSpelling(tag, numberRules) } = own;
  const numbers = numberWords(tag, spelling, own);
  const units = unitWords(unitNames, numbers);
  const dates = dateWords(calendar, numbers, units);
  const magnitudes = tableOf(own.magnitudes ?? '', ',');
  const { spacing, isNoMeasure, unitSuffix, percentFirst, capitalizesNouns, pointsDates } = own;
  const { abbreviations, telephoneWords, timeWords } = own;
  return {
    tag,
    decimalMark: calendar.decimalMark,
    dateOrder: own.dateOrder ?? 'dmy',
    months: new Map(
      calendar.written.split('|').map((entry) => [nameOf(entry), Number(entry.slice(entry.indexOf('=') + 1))]),
    ),
    weekdays: new Map(),
    magnitudes: mapOf(magnitudes),
    moneyMagnitudes: mapOf({ ...magnitudes, ...own.moneyMagnitudes }),
    currencies: mapOf(own.currencies),
    units: mapOf(own.units),
    spacing,
    isNoMeasure,
    unitSuffix,
    percentFirst,
    capitalizesNouns,
    pointsDates,
    cues: {
      telephone:
        telephoneWords === undefined
          ? undefined
          : new RegExp(String.raw`(?<!\p{L})(?:${telephoneWords})[.:]{0,2}\s?$`, 'iu'),
      time: timeWords === undefined ? undefined : behind(timeWords),
      date: own.dateWords === undefined ? undefined : behind(own.dateWords),
    },
    classes: [
      addresses,
      ...(abbreviations === undefined ? [] : [abbreviationsOf(abbreviations)]),
      ...romansOf(own),
      namedDates,
      numericDates,
      own.clockWord === undefined ? times : timesBefore(own.clockWord),
      years,
      ...(own.decades === undefined ? [] : [decadesWith(own.decades)]),
      telephones,
      ...(own.readsWeekdays ? [weekdayNames(calendar, own)] : []),
      ...(own.names ?? []),
      versions,
      letterPairs,
      identifiers,
      ...quantities,
      ...(own.halfBehind === undefined ? [] : [halvesBehindNouns(numbers)]),
      ...ordinalsOf(own),
      fractions,
      fractionRanges,
      operators,
      ...(own.classes ?? []),
      betweenValues,
      ratios,
      itemNumbers,
      cardinals,
      hyphens,
    ],
    sayNumeral: (numeral) => numbers.say(numeral),
    sayAmount: (amount) => numbers.sayAmount(amount),
    sayUnit: units.sayUnit,
    say: {
      ...amountSayings(numbers, units, dates),
      money: moneyWords(numbers, units),
      ...nameSayings(calendar, numbers, units, dates),
    },
  };
}

const nameOf = (entry: string): string => entry.slice(0, entry.indexOf('='));
