/** Settings of the languages besides English and Chinese beyond the numbers and units of CLDR and the names of `Intl`. */
import { tableOf } from '../../table.ts';
import type { Decades } from '../classes/years.ts';
import type { Place, SemioticClass } from '../language.ts';
import type { Spelling } from '../spell-out.ts';
import type { AbbreviationTable } from './abbreviations.ts';

/** Months, weekdays and dates, as the generated files have them. */
export interface Calendar {
  /** As dates say them, between bars. */
  readonly months: string;
  /** `jan=1`, in lower case, between bars. */
  readonly written: string;
  /** `Mo=Montag`, between bars. */
  readonly weekdays: string;
  /** `{day}. {month}` */
  readonly dayAndMonth: string;
  readonly date: string;
  readonly decimalMark: '.' | ',';
}

/** Contents of a language's generated file. */
export interface LanguageSource {
  readonly numberRules: string;
  readonly unitNames: string;
  readonly calendar: Calendar;
}

/**
 * Words and forms of numbers that a language may have, as `to: bis; plus: plus;`. What is said comes in place of `{0}` and
 * `{1}` of a pattern. A table has `written=said` between commas; words that are looked for are alternatives of a pattern. A
 * form is what CLDR calls it behind `spellout-`.
 *
 * - Signs: `to` is between the ends of a range, unless `range` is its pattern, and `lastForm` the form of the last; `change` between the values before and after a
 *   change, `score` between the numbers of one, which may be empty; `times` is that of `4x`, `by` that of `4 x 5`, `power`
 *   the pattern of an exponent, `cents` between money and its hundredths; `operators` are other signs, as `> größer als`. `address` has the names of `.`, `@` and `/`.
 * - Days and times: `telephoneWords`, `timeWords` and `dateWords` come before a number that is dialled, `14.30` and `14/4`;
 *   `readsWeekdays` is for `Mo–Fr`, `weekdays` has more of these, `pointsDates` is for `24.12.`, `dashesDates` for `08-08`, `letterOfHours` for `14h30`.
 *   `firstDay` is the form of the first day of the month alone, `dateYearForm` that of a year in a date, `countedYears` that
 *   of any number from 1100 to 1999 without separators; `clock` has minutes, and in `{2}` the hour alone, `hour` none, `dayHalves` come before it for AM and PM; `date`
 *   has one pattern with a year, too.
 * - Fractions: `half` alone, `halves` before a unit by its gender and `halfBehind` behind it; `parts` are thirds and quarters as
 *   `3=third|thirds`, up to `partsAlone` of them said without their number; `partBelowFirst` and `fractionOrder` are for
 *   denominators in front, with and without a name; `partOf` is between a part and its unit, `and` between a whole number
 *   and a part, `articles` before `1/4`, whose number isn't said again.
 * - Names: `countedRomans` come before Roman numerals, `ruler` is the pattern of a king's numeral from ordinal and cardinal,
 *   `ofMen` the form of it if not masculine.
 * - Units: `units` has ids of CLDR by symbols, `unitSlash` is for the slash of CLDR's names, `joinsUnits` for names without
 *   spaces, `perWord` the pattern of a price and what it is paid for where CLDR has none, `rates` abbreviations of the
 *   latter, `percent` for languages where CLDR has the sign alone.
 * - Amounts: `magnitudes` multiply a number, in one form, as one and many (`Mio=Million|Millionen`), or as one, few, many
 *   and parts; `moneyMagnitudes` only money. `hundredths` of currencies are said for amounts below one. `home` is the
 *   currency whose country isn't said, with the `first` or the `last` word of its name; `ofMillions` a currency behind these.
 */
const wordNames = `
  address and articles by capitalizesNouns cents change clock countedRomans countedYears currencies currencyFirst dashesDates date dayHalves
  dateOrder dateWords dateYearForm dayForm equals firstDay fractionOrder half halfBehind halves home hour hourForm
  hundredths intlTag isUnspaced joinsUnits lastForm letterOfHours magnitudes minus mixed moneyGender moneyMagnitudes ofMen
  ofMillions operators ordinalForm over partBelowFirst partGender partOf parts partsAlone perWord percent percentFirst plus point
  pointsDates power range rates readsWeekdays ruler score shortDateOrder spaceBehindCount spacing telephoneWords timeWords
  times to unitSlash units weekdays yearForm
`;
type Split<Text extends string> = Text extends `${infer First}\n${infer Rest}`
  ? Split<First> | Split<Rest>
  : Text extends `${infer First} ${infer Rest}`
    ? First | Split<Rest>
    : Text;
type WordName = Exclude<Split<typeof wordNames>, ''>;
type Words = { readonly [Name in WordName]?: string };
const known = new Set(wordNames.trim().split(/\s+/));

/** @throws for a name that is none */
function wordsOf(text: string): Words {
  const words = tableOf(text.replace(/\s+/g, ' '), ';', ':');
  const unknown = Object.keys(words).find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error(`no word of a language is called "${unknown}"`);
  return words;
}

/** Fills a pattern such as `{0} Uhr {1}`, or calls a function of the same values. */
export const fill = (pattern: string | ((...values: never[]) => string), ...values: readonly string[]): string =>
  typeof pattern === 'string'
    ? pattern.replace(/\{(\d)\}/g, (_, index) => values[Number(index)] ?? '')
    : pattern(...(values as readonly never[]));

/** Case as CLDR calls it in the names of its forms. */
export type Case = 'genitive' | 'dative' | 'prepositional' | 'instrumental';
export type Gender = 'masculine' | 'feminine' | 'neuter';

/** Rules of a language beside its words; some are either. */
interface Rules {
  readonly abbreviations?: AbbreviationTable;
  /** Decades, as in `1990-х`: digits and a suffix, and how they are said. */
  readonly decades?: Decades;
  /** Classes of its own: of names, before identifiers, and of numbers, before ratios. */
  readonly names?: readonly SemioticClass[];
  readonly classes?: readonly SemioticClass[];
  readonly unitSuffix?: RegExp;
  readonly isNoMeasure?: (place: Place, end: number) => boolean;
  /** A range of weekdays, if not the days around `to`. */
  readonly weekdayRange?: (first: string, last: string) => string;
  /** The case of a number that ends before `end`, by its context; one that ends in one agrees with its noun in gender. */
  readonly caseOf?: (place: Place, end: number) => Case | undefined;
  readonly dayForm?: string | ((place: Place, end: number) => string | undefined);
  readonly yearForm?: string | ((place: Place, end: number) => string | undefined);
  readonly sayYear?: (said: string) => string;
  readonly hourForm?: string | ((place: Place, end: number) => string | undefined);
  /** Words before the times of a range, and the forms of these, if it isn't said as others are. */
  readonly hours?: readonly (readonly [word: string, form: string])[];
  /** Word after a written time, which the spoken time has already. */
  readonly clockWord?: RegExp;
  readonly monthName?: (said: string) => string;
  /** Spelling of all numbers, where CLDR has an older one. */
  readonly tidy?: (said: string) => string;
  /** Joins a number to the noun behind it. */
  readonly linker?: (said: string) => string;
  /** Marks of ordinals behind their digits, and the form that they mark. */
  readonly ordinals?: RegExp;
  readonly ordinalForm?: string | ((mark: string, place: Place) => string);
  readonly ordinalWord?: (said: string, mark: string, place: Place, end: number) => string;
  /** Before ordinals that a point marks, which is that of an item elsewhere. */
  readonly ordinalBehind?: RegExp;
  /** Nouns that are counted with ordinals also where the number of an item could stand: a sticky pattern from the point on. */
  readonly ordinalNouns?: RegExp;
  /** The gender of a noun behind one half. */
  readonly halfNoun?: (place: Place, end: number) => Gender | undefined;
  /** Other parts of a whole, as `one|many` or `one|few|many`, of the denominator in a form. */
  readonly part?: (of: (form: string) => string, below: number) => string;
  /** A whole number and a part, if not with `and` between them. */
  readonly mixed?: string | ((whole: string, part: string) => string);
  /** Word after the Roman numeral of a century, and the form of that by its context. */
  readonly century?: RegExp;
  readonly centuryForm?: (place: Place, end: number) => string | undefined;
  readonly ruler?: string | ((ordinal: string, cardinal: string, value: string) => string);
  readonly inCaseOfQueen?: (ordinal: string) => string;
  readonly feminineMagnitude?: RegExp;
  /** A noun with a number that isn't said before it, such as one or two. */
  readonly numbered?: (noun: string, digits: string) => string | undefined;
  /** Names of currencies that are feminine. */
  readonly feminineCurrency?: RegExp;
  /** The country of a dollar, which isn't written. */
  readonly country?: RegExp;
  readonly tidyCurrency?: (name: string) => string;
  readonly ofMillions?: string | ((name: string) => string);
  readonly decimal?: (spelling: Spelling, whole: string, fraction: string, form: string) => string | undefined;
  /** The form of a number before some nouns. */
  readonly counted?: (place: Place, end: number, number: number, isRange: boolean) => string | undefined;
}

/** Words and rules of a language that CLDR and `Intl` lack. */
export type LanguageSettings = Rules & { readonly words: string };
export type Settings = Omit<Words, keyof Rules> & Rules;
export const settingsOf = ({ words, ...rules }: LanguageSettings): Settings => ({ ...wordsOf(words), ...rules });

/** The point of ordinals: `3. kerros` */
export const pointBeforeNoun = /\.(?=[ \u00a0]\p{Ll})/uy;
