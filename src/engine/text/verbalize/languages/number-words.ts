/** Numbers, ranges and scores in words, by the rules of CLDR and a language's settings. */

import type { Place } from '../language.ts';
import { numberOf } from '../numerals.ts';
import type { Amount, Numeral, Sign } from '../semiotic.ts';
import { pluralCategory, type Spelling } from '../spell-out.ts';
import type { LanguageSettings } from './settings.ts';

/** `3-1` is a score, as a range goes up. */
const isScore = ({ sign, first, last, magnitude }: Amount): boolean =>
  last !== undefined &&
  [first, last].every(({ whole, fraction }) => fraction === undefined && /^(?:0|[1-9]\d{0,2})$/.test(whole)) &&
  numberOf(first) > numberOf(last) &&
  numberOf(first) < 200 &&
  sign === undefined &&
  magnitude === undefined;

export type NumberWords = ReturnType<typeof numberWords>;

export function numberWords(tag: string, spelling: Spelling, own: LanguageSettings) {
  const { spellOut, hasForm } = spelling;
  const { isUnspaced = false, intlTag = tag } = own;
  const gap = isUnspaced ? '' : ' ';
  const join = (...words: readonly string[]): string => words.filter((word) => word !== '').join(gap);
  const base = hasForm('numbering') ? 'numbering' : 'cardinal';
  const firstForm = (...forms: readonly string[]): string => forms.find((form) => hasForm(form)) ?? base;
  const minus = own.minus ?? spelling.minus() ?? 'minus';
  const point = own.point ?? spelling.point() ?? '.';
  const digitNames = Array.from({ length: 10 }, (_, digit) => spellOut(base, digit));

  const spell = (digits: string): string =>
    [...digits.replace(/\D/g, '')].map((digit) => digitNames[Number(digit)] ?? '').join(gap);
  const whole = (digits: string, form: string = base): string => {
    if (digits.length > 15 || /^0\d/.test(digits)) return spell(digits);
    const said = spellOut(firstForm(form), Number(digits));
    return own.tidy?.(said) ?? said;
  };
  const say = ({ whole: digits, fraction }: Numeral, form = base): string => {
    const decimal = fraction === undefined ? undefined : own.decimal?.(digits === '' ? '0' : digits, fraction, form);
    if (decimal !== undefined) return decimal;
    const said = whole(digits === '' ? '0' : digits, fraction === undefined ? form : base);
    return fraction === undefined ? said : join(said, point, spell(fraction));
  };
  const signs: Readonly<Record<Sign, string>> = { '-': minus, '+': own.plus ?? '', '±': '±', '~': '' };
  const signed = (sign: Sign | undefined, said: string): string =>
    sign === undefined ? said : join(signs[sign], said);
  const range = (first: string, last: string): string => own.range?.(first, last) ?? join(first, own.to, last);
  /** Form for a number of a magnitude with one, few, many and parts, or with one and many. */
  const agreeing = (magnitude: string, number: Numeral, form: string): string => {
    if (!magnitude.includes('|')) return magnitude;
    const forms = magnitude.split('|');
    const category = categoryOf({ first: number });
    const nominative = ['one', ...(forms.length > 2 ? ['few', 'many'] : [])].indexOf(category);
    const index = form.endsWith('genitive') ? (category === 'few' ? 2 : category === 'many' ? 2 : -1) : nominative;
    return forms.at(index) ?? magnitude;
  };
  const sayAmount = (amount: Amount, ofUnit = base): string => {
    const { sign, first, last, lastSign, magnitude = '' } = amount;
    const isCounted = magnitude.includes('|') && !ofUnit.endsWith('genitive');
    const form = isCounted ? formOf(own.feminineMagnitude?.test(magnitude) ? 'feminine' : 'masculine') : ofUnit;
    if (last !== undefined && isScore(amount)) return join(say(first), own.score ?? '', say(last));
    const start = signed(sign, say(first, last === undefined || /genitive$/.test(form) ? form : base));
    const said = last === undefined ? start : range(start, signed(lastSign, say(last, form)));
    return join(said, agreeing(magnitude, last ?? first, form));
  };
  /** The form of a whole number in the case that its context shows. */
  const inCase = ({ first, last, magnitude, sign }: Amount, place: Place, end: number): string | undefined => {
    const isDecimal = (last ?? first).fraction !== undefined;
    if (sign !== undefined || (isDecimal && own.decimal === undefined)) return undefined;
    // The end of a decimal is a part, whose gender it has.
    const found = own.caseOf?.(place, end, isDecimal ? '0' : (last ?? first).whole);
    if (found === undefined || (magnitude !== undefined && found !== 'genitive')) return undefined;
    return firstForm(`cardinal-masculine-${found}`);
  };
  /** Words of an amount whose unit is in the genitive too, as after `до` and `od`. */
  const genitive = (amount: Amount, place: Place, end: number): string | undefined => {
    const form = inCase(amount, place, end);
    return form?.endsWith('genitive') ? form : undefined;
  };
  const forms = new Map<string | undefined, string>();
  const formOf = (gender: string | undefined): string => {
    const form = forms.get(gender) ?? formAnew(gender);
    forms.set(gender, form);
    return form;
  };
  const formAnew = (gender: string | undefined): string =>
    firstForm(
      ...(gender === undefined ? [] : [`cardinal-${gender}`]),
      ...(gender === 'common' ? ['cardinal-reale'] : []),
      'cardinal-masculine',
      'cardinal',
      'cardinal-sinokorean',
    );
  const ordinalForm = (mark: string, place: Place): string =>
    firstForm(own.ordinalForm?.(mark, place) ?? 'ordinal', 'ordinal', 'ordinal-masculine');
  /** The plural category of an amount's last number. */
  const categoryOf = ({ first, last, magnitude }: Amount): string => {
    const { whole: digits, fraction } = last ?? first;
    if (magnitude !== undefined) return pluralCategory(intlTag, 1_000_000);
    const value = numberOf({ whole: digits, fraction });
    return pluralCategory(intlTag, value, fraction === undefined ? 0 : Math.min(20, fraction.length));
  };
  return {
    own,
    intlTag,
    spellOut,
    isUnspaced,
    gap,
    base,
    minus,
    point,
    join,
    firstForm,
    spell,
    whole,
    say,
    signed,
    range,
    agreeing,
    sayAmount,
    inCase,
    genitive,
    formOf,
    ordinalForm,
    categoryOf,
  };
}
