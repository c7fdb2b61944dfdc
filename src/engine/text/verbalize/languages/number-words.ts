/** Numbers, ranges and scores in words, by the rules of CLDR and a language's settings. */
import type { Place } from '../language.ts';
import { numberOf } from '../numerals.ts';
import type { Amount, Numeral, Sign } from '../semiotic.ts';
import { pluralCategory, type Spelling } from '../spell-out.ts';
import { fill, type Settings } from './settings.ts';

/** `3-1` is a score, as a range goes up. */
const isScore = ({ sign, first, last, magnitude }: Amount): boolean =>
  last !== undefined &&
  [sign, magnitude, first.fraction, last.fraction].every((part) => part === undefined) &&
  [first, last].every(({ whole }) => /^(?:0|[1-9]\d{0,2})$/.test(whole)) &&
  numberOf(first) > numberOf(last) &&
  numberOf(first) < 200;

export type NumberWords = ReturnType<typeof numberWords>;

export function numberWords(tag: string, spelling: Spelling, own: Settings) {
  const { spellOut, hasForm } = spelling;
  const gap = own.isUnspaced ? '' : ' ';
  const base = hasForm('numbering') ? 'numbering' : 'cardinal';
  const minus = own.minus ?? spelling.minus() ?? 'minus';
  const point = own.point ?? spelling.point() ?? '.';
  const digitNames = Array.from({ length: 10 }, (_, digit) => spellOut(base, digit));
  const signs: Readonly<Record<Sign, string>> = { '-': minus, '+': own.plus ?? '', '±': '±', '~': '' };
  const numbers = {
    intlTag: own.intlTag ?? tag,
    to: own.to ?? '',
    join: (...words: readonly string[]): string => words.filter((word) => word !== '').join(gap),
    firstForm: (...forms: readonly string[]): string => forms.find((form) => hasForm(form)) ?? base,
    spell: (digits: string): string =>
      [...digits.replace(/\D/g, '')].map((digit) => digitNames[Number(digit)] ?? '').join(gap),
    whole(digits: string, form: string = base): string {
      if (digits.length > 15 || /^0\d/.test(digits)) return numbers.spell(digits);
      const said = spellOut(numbers.firstForm(form), Number(digits));
      return own.tidy?.(said) ?? said;
    },
    say({ whole: digits, fraction }: Numeral, form = base): string {
      const whole = digits === '' ? '0' : digits;
      if (fraction === undefined) return numbers.whole(whole, form);
      return (
        own.decimal?.(spelling, whole, fraction, form) ??
        numbers.join(numbers.whole(whole), point, ...[...fraction].map((digit) => numbers.whole(digit)))
      );
    },
    signed: (sign: Sign | undefined, said: string): string =>
      sign === undefined ? said : numbers.join(signs[sign], said),
    range: (first: string, last: string): string =>
      own.range === undefined ? numbers.join(first, numbers.to, last) : fill(own.range, first, last),
    /** Form for a number of a magnitude with one, few, many and parts, or with one and many. */
    agreeing(magnitude: string, number: Numeral, form: string): string {
      if (!magnitude.includes('|')) return magnitude;
      const forms = magnitude.split('|');
      const category = numbers.categoryOf({ first: number });
      const nominative = ['one', ...(forms.length > 2 ? ['few', 'many'] : [])].indexOf(category);
      return forms.at(!form.endsWith('genitive') ? nominative : /few|many/.test(category) ? 2 : -1) ?? magnitude;
    },
    sayAmount(amount: Amount, ofUnit = base): string {
      const { sign, first, last, lastSign, magnitude = '' } = amount;
      const isCounted = magnitude.includes('|') && !ofUnit.endsWith('genitive');
      const isFeminine = isCounted && own.feminineMagnitude?.test(magnitude) === true;
      const form = isCounted ? numbers.formOf(isFeminine ? 'feminine' : 'masculine') : ofUnit;
      if (last !== undefined && isScore(amount))
        return numbers.join(numbers.say(first), own.score ?? '', numbers.say(last));
      const firstForm = last === undefined || /genitive$/.test(form) ? form : base;
      const start = numbers.signed(sign, numbers.say(first, firstForm));
      const end = last === undefined ? undefined : numbers.signed(lastSign, numbers.say(last, own.lastForm ?? form));
      const said = end === undefined ? start : numbers.range(start, end);
      return numbers.join(said, numbers.agreeing(magnitude, last ?? first, form));
    },
    /** The form of a whole number in the case that its context shows. */
    inCase({ first, last, magnitude, sign }: Amount, place: Place, end: number): string | undefined {
      const isDecimal = (last ?? first).fraction !== undefined;
      if (sign !== undefined || (isDecimal && own.decimal === undefined)) return undefined;
      // The end of a decimal is a part, whose gender it has.
      const isOne = !isDecimal && /(?:^|[^1])1$/.test((last ?? first).whole);
      const found = isOne ? undefined : own.caseOf?.(place, end);
      if (found === undefined || (magnitude !== undefined && found !== 'genitive')) return undefined;
      return numbers.firstForm(`cardinal-masculine-${found}`);
    },
    /** Words of an amount whose unit is in the genitive too, as after `до` and `od`. */
    genitive(amount: Amount, place: Place, end: number): string | undefined {
      const form = numbers.inCase(amount, place, end);
      return form?.endsWith('genitive') ? form : undefined;
    },
    formOf(gender: string | undefined): string {
      const own =
        gender === undefined ? [] : [`cardinal-${gender}`, ...(gender === 'common' ? ['cardinal-reale'] : [])];
      return numbers.firstForm(...own, 'cardinal-masculine', 'cardinal', 'cardinal-sinokorean');
    },
    ordinalForm(mark: string, place: Place): string {
      const form = typeof own.ordinalForm === 'function' ? own.ordinalForm(mark, place) : own.ordinalForm;
      return numbers.firstForm(form ?? 'ordinal', 'ordinal', 'ordinal-masculine');
    },
    /** The plural category of an amount's last number. */
    categoryOf({ first, last, magnitude }: Amount): string {
      const counted = last ?? first;
      if (magnitude !== undefined) return pluralCategory(numbers.intlTag, 1_000_000);
      return pluralCategory(numbers.intlTag, numberOf(counted), Math.min(20, counted.fraction?.length ?? 0));
    },
  };
  return { ...numbers, own, spellOut, gap, base, minus, point };
}
