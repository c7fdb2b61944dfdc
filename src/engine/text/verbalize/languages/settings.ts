/** Settings of the languages besides English and Chinese beyond the numbers and units of CLDR and the names of `Intl`. */
import type { Decades } from '../classes/years.ts';
import type { Language, Place, SemioticClass } from '../language.ts';
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

/** Case as CLDR calls it in the names of its forms. */
export type Case = 'genitive' | 'dative' | 'prepositional' | 'instrumental';
export type Gender = 'masculine' | 'feminine' | 'neuter';

/** Words and rules of a language that CLDR and `Intl` lack. */
export interface LanguageSettings {
  /** The rules of numbers, where settings use them too. */
  readonly spelling?: Spelling;
  readonly abbreviations?: AbbreviationTable;
  /** Tag of `Intl`, where it is another. */
  readonly intlTag?: string;
  /** Whether there are no spaces between words. */
  readonly isUnspaced?: boolean;
  readonly spacing?: Language['spacing'];
  readonly unitSuffix?: RegExp;
  readonly percentFirst?: boolean;
  /** Before a number that is dialled, and before a time such as `14.30`: alternatives of a pattern. */
  readonly telephoneWords?: string;
  readonly timeWords?: string;
  /** Before a day such as `14/4`. */
  readonly dateWords?: string;
  /** Whether `24.12.` is a day. */
  readonly pointsDates?: boolean;
  /** Decades, as in `1990-х`: digits and a suffix, and how they are said. */
  readonly decades?: Decades;
  /** Whether `Mo–Fr` is read as weekdays. */
  readonly readsWeekdays?: boolean;
  /** Other abbreviations of weekdays, as in the calendar. */
  readonly weekdays?: string;
  /** A range of weekdays, if not the days around `to`. */
  readonly weekdayRange?: (first: string, last: string) => string;
  /** The case of a whole number that ends before `end`, by its context. */
  readonly caseOf?: (place: Place, end: number, digits: string) => Case | undefined;
  /** Between the ends of a range. */
  readonly to: string;
  /** Between the values before and after a change, if not as in a range. */
  readonly change?: string;
  /** A range, if not its ends around `to`. */
  readonly range?: (first: string, last: string) => string;
  /** The language's form of the day in dates, by CLDR; cardinal without. */
  readonly dayForm?: string | ((place: Place) => string);
  /** The first day of the month alone is an ordinal. */
  readonly firstDay?: string;
  readonly yearForm?: string | ((place: Place, end: number) => string | undefined);
  /** Form of a year in a date. */
  readonly dateYearForm?: string;
  readonly sayYear?: (said: string) => string;
  readonly point?: string;
  readonly minus?: string;
  /** Between units of money and hundredths, with the space behind it. */
  readonly cents?: string;
  /** A time of day with minutes; hours alone are counted. */
  readonly clock?: (hour: string, minute: string) => string;
  readonly hourForm?: string | ((place: Place) => string);
  readonly hour?: (hour: string) => string;
  /** Words before the times of a range, and the forms of these, if it isn't said as others are. */
  readonly hours?: readonly (readonly [word: string, form: string])[];
  /** Word after a written time, which the spoken time has already. */
  readonly clockWord?: RegExp;
  readonly date?: (day: string, month: string, year: string | undefined) => string;
  readonly over?: string;
  readonly by?: string;
  readonly times?: string;
  readonly plus?: string;
  readonly equals?: string;
  readonly dateOrder?: 'mdy' | 'ymd';
  /** Spelling of all numbers, where CLDR has an older one. */
  readonly tidy?: (said: string) => string;
  /** Joins a number to the noun behind it. */
  readonly linker?: (said: string) => string;
  /** Word after `20%`, where CLDR has the sign alone. */
  readonly percent?: string;
  /** Whether `14h30` is a time of day. */
  readonly letterOfHours?: 'clock';
  /** Marks of ordinals behind their digits, and the form that they mark. */
  readonly ordinals?: RegExp;
  /** Before ordinals that a point marks, which is that of an item elsewhere. */
  readonly ordinalBehind?: RegExp;
  /** Nouns that are counted with ordinals also where the number of an item could stand: a sticky pattern from the point on. */
  readonly ordinalNouns?: RegExp;
  readonly ordinalForm?: (mark: string, place: Place) => string;
  readonly ordinalWord?: (said: string, mark: string, place: Place, end: number) => string;
  /** Between the numbers of a score, if not as of a range; nothing, when they are said one after the other. */
  readonly score?: string;
  /** One half before a unit, by the unit's gender. */
  readonly halves?: Readonly<Partial<Record<Gender | 'any', string>>>;
  /** One half behind a unit and its number, by the unit's gender: "una taza y media". */
  readonly halfBehind?: Readonly<Record<'masculine' | 'feminine', string>>;
  /** The gender of a noun behind one half. */
  readonly halfNoun?: (text: string, end: number) => Gender | undefined;
  /** Thirds and quarters, as `3=third|thirds`, between commas. */
  readonly parts?: string;
  /** Other parts of a whole by their denominator, as `one|many` or `one|few|many`. */
  readonly part?: (below: number) => string | undefined;
  /** Whether the denominator comes first, as in Turkish. */
  readonly partBelowFirst?: boolean;
  /** Up to how many parts are said without their number. */
  readonly partsAlone?: number;
  readonly partGender?: string;
  readonly fractionOrder?: 'below first';
  /** Between a part and its unit, and between a whole number and a part. */
  readonly partOf?: string;
  readonly and?: string;
  /** Before `1/4`, whose number isn't said again: alternatives of a pattern. */
  readonly articles?: string;
  /** A whole number and a part, if not with `and` between them. */
  readonly mixed?: (whole: string, part: string) => string;
  /** The form of any number from 1100 to 1999 without separators, which is counted in hundreds like a year. */
  readonly countedYears?: string;
  /** Word after the Roman numeral of a century. */
  readonly century?: RegExp;
  /** The form of a century, by its context. */
  readonly centuryForm?: (place: Place, end: number) => string | undefined;
  /** The form of a king's ordinal, if not masculine, and that of a queen in another case. */
  readonly ofMen?: string;
  readonly inCaseOfQueen?: (ordinal: string) => string;
  /** The numeral of a king; without, cardinal. */
  readonly ruler?: (ordinal: string, cardinal: string, value: number) => string;
  /** Ids of CLDR by symbols. */
  readonly units?: Readonly<Record<string, string>>;
  /** For the slash of CLDR's names of units, and whether these have no spaces. */
  readonly unitSlash?: string;
  /** A price and what it is paid for, where CLDR has no words between them: `{0} per {1}`. */
  readonly perWord?: string;
  /** Abbreviations of what is paid for, between commas. */
  readonly rates?: string;
  readonly joinsUnits?: boolean;
  readonly isNoMeasure?: (place: Place, end: number) => boolean;
  /**
   * Words behind a number that multiply it, and how they are said, between commas: in one form, with one and many as
   * `Mio=Million|Millionen`, or with one, few, many and parts.
   */
  readonly magnitudes?: string;
  /** Magnitudes of money alone. */
  readonly moneyMagnitudes?: Readonly<Record<string, string>>;
  readonly feminineMagnitude?: RegExp;
  /** Names of `.`, `@` and `/` in addresses. */
  readonly address?: readonly [dot: string, at: string, slash: string];
  /** Hundredths of currencies for amounts below one, as `EUR=one|many` or `one|few|many`, between commas. */
  readonly hundredths?: string;
  readonly moneyGender?: string;
  /** The language's own currency, whose country isn't said: the first or the last word of its name. */
  readonly home?: readonly [currency: string, word: 'first' | 'last'];
  /** A noun with a number that isn't said before it, such as one or two. */
  readonly numbered?: (noun: string, digits: string) => string | undefined;
  /** Names of currencies that are feminine. */
  readonly feminineCurrency?: RegExp;
  /** The country of a dollar, which isn't written. */
  readonly country?: RegExp;
  readonly tidyCurrency?: (name: string) => string;
  readonly capitalizesNouns?: boolean;
  readonly currencyFirst?: boolean;
  /** A currency behind millions. */
  readonly ofMillions?: (name: string) => string;
  readonly half?: string;
  readonly decimal?: (whole: string, fraction: string, form: string) => string | undefined;
  /** The form of a number before some nouns. */
  readonly counted?: (text: string, end: number, number: number, isRange: boolean) => string | undefined;
  readonly spaceBehindCount?: boolean;
  readonly countedRomans?: string;
  readonly currencies?: Readonly<Record<string, string>>;
  /** Classes of its own: of names, before identifiers, and of numbers, before ratios. */
  readonly names?: readonly SemioticClass[];
  readonly classes?: readonly SemioticClass[];
}

/** The point of ordinals: `3. kerros` */
export const pointBeforeNoun = /\.(?=[ \u00a0]\p{Ll})/uy;

/** `21` agrees with its noun in gender. */
export const endsInOne = /(?:^|[^1])1$/;
