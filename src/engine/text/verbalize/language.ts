/**
 * Tokens of a text and their meaning: the semiotic classes of text normalization. Classes find them, and a language contributes
 * how its texts are written, and how each kind of token is said.
 */
import type { Follow } from './follow.ts';
import type { Spelling } from './spell-out.ts';

/** A number as written, without separators of thousands. */
export interface Numeral {
  /** Whole part; empty in `.5`. */
  readonly whole: string;
  readonly fraction?: string | undefined;
  /** Whether separators stood between its thousands, so that it is an amount. */
  readonly grouped?: boolean | undefined;
}

export type Sign = '-' | '+' | '±' | '~';

/** A number, or a range from one to another, with a magnitude such as million. */
export interface Amount {
  readonly sign?: Sign | undefined;
  readonly first: Numeral;
  readonly last?: Numeral | undefined;
  readonly lastSign?: Sign | undefined;
  /** As the language says it. */
  readonly magnitude?: string | undefined;
}

/** A unit with its power, such as `square-meter` or the square of seconds. */
export interface Unit {
  /** An id of CLDR, such as `kilometer`. */
  readonly id: string;
  readonly power?: number | undefined;
}
export interface CompoundUnit {
  readonly of: Unit;
  readonly per?: Unit | undefined;
}

export interface Clock {
  readonly hour: number;
  readonly minute?: number | undefined;
  readonly second?: number | undefined;
  readonly half?: 'AM' | 'PM' | undefined;
}

interface Fields {
  readonly cardinal: { readonly amount: Amount };
  readonly ordinal: { readonly first: string; readonly last?: string | undefined; readonly mark?: string | undefined };
  readonly fraction: {
    readonly sign?: Sign | undefined;
    readonly whole?: string | undefined;
    readonly above: string;
    readonly below: string;
    readonly unit?: CompoundUnit | undefined;
  };
  readonly percent: { readonly amount: Amount; readonly mark: string };
  readonly money: {
    readonly amount: Amount;
    /** A code of ISO 4217, or a sign that several currencies share. */
    readonly currency: string;
    /** Units with slashes between them, as in `user/mo`. */
    readonly per?: string | undefined;
  };
  readonly measure: {
    readonly amount: Amount;
    readonly unit: CompoundUnit;
    /** Whether it comes before a noun, as in `5-km run`. */
    readonly use?: 'attribute' | undefined;
  };
  /** Feet and inches, or degrees, minutes and seconds. */
  readonly measures: { readonly parts: readonly (readonly [number: Numeral, unit: string])[]; readonly rest?: string };
  readonly date: {
    readonly weekday?: string | undefined;
    readonly year?: string | undefined;
    readonly month?: number | undefined;
    readonly day?: number | undefined;
    readonly lastDay?: number | undefined;
    readonly lastMonth?: number | undefined;
    readonly order: 'day first' | 'month first' | 'numeric';
    readonly era?: string | undefined;
  };
  readonly year: {
    readonly first: string;
    readonly last?: string | undefined;
    readonly era?: string | undefined;
    readonly eraPlace?: 'before' | 'after' | undefined;
  };
  readonly time: { readonly first: Clock; readonly last?: Clock | undefined; readonly zone?: string | undefined };
  readonly duration: { readonly parts: readonly (readonly [number: string, unit: string])[] };
  /** `90+3'` of football. */
  readonly matchMinute: { readonly minute: string; readonly added?: string | undefined };
  readonly telephone: { readonly groups: readonly string[] };
  readonly digits: { readonly groups: readonly string[] };
  readonly roman: { readonly value: number; readonly form: 'cardinal' | 'ordinal' | 'year' };
  readonly ratio: { readonly numbers: readonly Numeral[]; readonly of?: 'rating' };
  readonly dimensions: {
    readonly numbers: readonly Numeral[];
    readonly unit?: CompoundUnit | undefined;
    /** `3 x 4 = 12` */
    readonly use?: 'product';
  };
  readonly multiplier: { readonly amount: Amount };
  readonly operator: { readonly sign: string };
  readonly power: { readonly exponent: string; readonly unit?: CompoundUnit | undefined };
  readonly version: {
    readonly parts: readonly string[];
    readonly named?: boolean;
    readonly port?: string | undefined;
    /** Length of the mask of a network, in bits. */
    readonly mask?: string | undefined;
    /** `beta` and its number. */
    readonly release?: readonly string[] | undefined;
  };
  readonly address: { readonly text: string };
  /** A number within a name, such as `MP3`. */
  readonly code: { readonly number: Numeral };
  /** Tokens that are read as other words whatever their number, such as abbreviations and capitals. */
  readonly words: { readonly spoken: string };
}

export type Kind = keyof Fields;
export type Semiotic = { [Name in Kind]: { readonly kind: Name } & Fields[Name] }[Kind];
export type Meaning<Name extends Kind> = Extract<Semiotic, { readonly kind: Name }>;

export type Sayings = {
  readonly [Name in Kind]: (meaning: Meaning<Name>, place: Place, end: number) => string | undefined;
};

type Cue = 'telephone' | 'identifier' | 'shortIdentifier' | 'name' | 'score' | 'postalCode' | 'date' | 'time';

export interface Language {
  /** A BCP 47 tag. */
  readonly tag: string;
  readonly decimalMark: '.' | ',';
  /** Order of `11/12/2026`. */
  readonly dateOrder: 'mdy' | 'dmy' | 'ymd';
  /** Order of `11/12`. */
  readonly shortDateOrder: 'mdy' | 'dmy' | 'ymd';
  /** Digits of the longest number without separators that is an amount; ten if left out. */
  readonly longestAmount?: number | undefined;
  /** Months by their names and abbreviations in lower case. */
  readonly months: ReadonlyMap<string, number>;
  /** Weekdays as said, by their names and abbreviations in lower case. */
  readonly weekdays: ReadonlyMap<string, string>;
  /** Words and letters behind a number that multiply it, and how they are said. */
  readonly magnitudes: ReadonlyMap<string, string>;
  /** Letters behind an amount of money that multiply it. */
  readonly moneyMagnitudes: ReadonlyMap<string, string>;
  /** Currencies by what comes before or after an amount, beyond the signs and codes of all languages. */
  readonly currencies: ReadonlyMap<string, string>;
  /** Whether all nouns begin with a capital, so that one doesn't show the beginning of a sentence. */
  readonly capitalizesNouns?: boolean | undefined;
  /** Whether `24.12.` is a day. */
  readonly pointsDates?: boolean | undefined;
  /** Whether `08-08` is a day. */
  readonly dashesDates?: boolean | undefined;
  /** Names of currencies behind an amount whose sign says it already, as in `￥5元`. */
  readonly currencyAgain?: RegExp | undefined;
  /** Ids of CLDR by symbols, beyond those of all languages. */
  readonly units: ReadonlyMap<string, string>;
  /** Where spaces are added between words of a token and those that it touches; on both sides if left out. */
  readonly spacing?: 'none' | 'before' | 'behind' | undefined;
  /** The language of phrases in Latin letters between words in the language's own script. */
  readonly phrases?: Language | undefined;
  /** Endings that may follow a unit without a space. */
  readonly unitSuffix?: RegExp | undefined;
  /** Whether `%50` is a percentage. */
  readonly percentFirst?: boolean | undefined;
  /** Whether what looks like a measure, up to `end`, is none in this language. */
  readonly isNoMeasure?: ((place: Place, end: number) => boolean) | undefined;
  /** Whether a number here is a year, by its context; undefined if that is inconclusive. */
  readonly isYear?: (place: Place, end: number, digits: string) => boolean | undefined;
  /**
   * What comes before a number that is dialled, one that identifies something (also of few digits), one that isn't counted, so that
   * `1234-5678` is no range, a score such as `21:19`, a code of five digits, a day such as `3/31`, and a time such as `14.30`.
   */
  readonly cues: Readonly<Partial<Record<Cue, RegExp | undefined>>>;
  /** In the order of their priority among tokens of equal length. */
  readonly classes: readonly SemioticClass[];
  readonly say: Sayings;
  readonly sayNumeral: (numeral: Numeral) => string;
  readonly sayAmount: (amount: Amount) => string;
  readonly spelling: Spelling;
}

/** A place from which a class reads on. */
export interface Cursor {
  readonly text: string;
  at: number;
}

/** A place in a text where a token begins. */
export interface Place {
  readonly text: string;
  readonly start: number;
  readonly language: Language;
  /** A few characters before it. */
  readonly before: string;
  /** Whether no letter or digit comes right before it. */
  readonly isBorder: boolean;
  /** The run of words in capitals that was last looked at. */
  readonly run: { readonly end: number; readonly isWords: boolean };
}

export interface Found {
  readonly end: number;
  readonly meaning: Semiotic;
}

/** What tokens begin with. */
export type Beginning = 'digit' | 'letter' | 'sign';
type Begins = Beginning | `${Beginning} ${Beginning}` | 'digit sign letter';

/** A kind of token: where it may begin, and what it means there. */
export interface SemioticClass {
  readonly begins: Begins;
  /** Characters after the digits that it begins with, and after the whole number with its separators; anything if left out. */
  readonly digitsBefore?: readonly Follow[];
  readonly numberBefore?: readonly Follow[];
  /** Whether it never begins with a small letter from a to z. */
  readonly isCapital?: boolean;
  /** Whether letters that it begins with are never followed by a space, a comma or the end. */
  readonly isJoined?: boolean;
  /** Whether it may begin with a word. */
  readonly beginsWith?: (word: string, language: Language) => boolean;
  /** Whether it may be a number with this word of letters from A to Z behind a space. */
  readonly counts?: (word: string, language: Language) => boolean;
  /** Signs that it begins with, if it begins with one. */
  readonly signs?: string;
  /** Looks ahead by a bounded length, from a cursor at the place, or consumes what it looks at, so that a text takes linear time. */
  readonly find: (place: Place, cursor: Cursor) => Found | undefined;
}
