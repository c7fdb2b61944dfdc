/**
 * Meaning of a stretch of a text before it is spoken: the semiotic classes of text normalization. Classes find them, languages
 * say them.
 */

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
