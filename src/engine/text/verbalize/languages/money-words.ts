/** Amounts of money in words, with the names of currencies that `Intl` has. */
import { tableOf } from '../../table.ts';
import type { Place } from '../language.ts';
import { numberOf } from '../numerals.ts';
import type { Amount, Meaning, Numeral } from '../semiotic.ts';
import { pluralCategory } from '../spell-out.ts';
import { currencyNameOf } from './currency-names.ts';
import type { NumberWords } from './number-words.ts';
import type { UnitWords } from './unit-words.ts';

/** Yen, won and dong have no hundredths. */
const hasNoCents = (currency: string): boolean => /^(?:¥|JPY|KRW|VND)$/.test(currency);

/** The code whose hundredths are those of a currency: a dollar's are those of all dollars. */
const hundredthOf = (currency: string): string =>
  /^(?:\$|USD|AUD|CAD|NZD|HKD|SGD)$/.test(currency) ? 'USD' : currency;
const isInMillions = ({ whole, fraction }: Numeral): boolean =>
  /^[1-9]\d*0{6}$/.test(whole) && (fraction === undefined || fraction.length === 2);

export function moneyWords(numbers: NumberWords, { sayPer }: UnitWords) {
  const { own, intlTag, spellOut, base, join, signed, sayAmount, genitive, formOf, agreeing } = numbers;
  const hundredths = tableOf(own.hundredths ?? '', ',');
  const names = new Map<string, string>();
  const nameOf = (code: string, { first, last, magnitude }: Amount): string => {
    const counted = last ?? first;
    // Hundredths are said behind the name.
    const isWhole = last === undefined && counted.fraction?.length === 2;
    const value = magnitude !== undefined ? 1_000_000 : isWhole ? Number(counted.whole) : numberOf(counted);
    const key = `${code} ${pluralCategory(intlTag, value)}`;
    const name = names.get(key) ?? currencyNameOf(intlTag, own, code, value);
    names.set(key, name);
    return name;
  };
  const sayPrice = ({ amount, currency }: Meaning<'money'>, place: Place, end: number): string => {
    const cased = genitive(amount, place, end);
    const isMany = cased !== undefined && (amount.last ?? amount.first).fraction === undefined;
    const name = nameOf(currency, isMany ? { first: { whole: '5' } } : amount);
    const isFeminine = own.feminineCurrency?.test(name) ?? false;
    const form = cased ?? formOf(isFeminine ? 'feminine' : (own.moneyGender ?? 'masculine'));
    const { first, last, magnitude, sign } = amount;
    const isWhole = last === undefined && magnitude === undefined && [0, 2].includes(first.fraction?.length ?? 0);
    const numbered = isWhole ? own.numbered?.(name, first.whole) : undefined;
    const named = (said: string): string =>
      numbered !== undefined
        ? signed(sign, numbered)
        : own.currencyFirst
          ? join(name, said)
          : join(own.linker?.(said) ?? said, name);
    if (own.ofMillions !== undefined && /^(?!mil(?:le|a)?$)[mb]il/.test(magnitude ?? ''))
      return join(sayAmount(amount, form), own.ofMillions(name));
    // "un milione di euro", however it is written.
    const isMillions = own.ofMillions !== undefined && last === undefined && isInMillions(first) && !own.currencyFirst;
    if (isMillions && Number(first.fraction ?? 0) === 0)
      return join(sayAmount({ ...amount, first: { whole: first.whole } }, form), own.ofMillions?.(name) ?? name);
    if (last !== undefined || magnitude !== undefined || first.fraction?.length !== 2 || hasNoCents(currency))
      return named(sayAmount(amount, form));
    const parts = Number(first.whole) === 0 ? hundredths[hundredthOf(currency)] : undefined;
    const cents = Number(first.fraction);
    if (parts !== undefined && cents > 0) {
      const part = agreeing(parts, { whole: String(cents) }, '');
      const partForm = formOf(/а(?:\||$)/.test(parts) ? 'feminine' : (own.moneyGender ?? 'masculine'));
      return signed(sign, join(spellOut(partForm, cents), part));
    }
    const whole = { first: { whole: first.whole }, sign };
    const units = isMillions
      ? sayPrice({ kind: 'money', amount: whole, currency }, place, end)
      : named(sayAmount(whole, form));
    return Number(first.fraction) === 0
      ? units
      : `${units} ${own.cents ?? ''}${spellOut(base, Number(first.fraction))}`;
  };
  return (meaning: Meaning<'money'>, place: Place, end: number): string =>
    meaning.per === undefined ? sayPrice(meaning, place, end) : sayPer(sayPrice(meaning, place, end), meaning.per);
}
