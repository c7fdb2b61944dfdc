/** Amounts of money in words, with the names of currencies that `Intl` has. */
import { tableOf } from '../../table.ts';
import type { Amount, Meaning, Place } from '../language.ts';
import { numberOf } from '../numerals.ts';
import { pluralCategory } from '../spell-out.ts';
import type { NumberWords, UnitWords } from './number-words.ts';
import { fill, type Settings } from './settings.ts';

/** Yen, won and dong have no hundredths. */
const withoutCents = /^(?:¥|JPY|KRW|VND)$/;
/** Their hundredths are those of all dollars. */
const dollars = /^(?:\$|USD|AUD|CAD|NZD|HKD|SGD)$/;
/** The country of a dollar, which isn't written. */
const usualCountry = /^(?:US|U\.S\.)[- ]|[- ](?:US|USA)$/u;

/** A currency as `Intl` names it for a number of it. */
export function currencyOf(tag: string, currency: string, count: number): string {
  const options = { style: 'currency', currency, currencyDisplay: 'name', minimumFractionDigits: 0 } as const;
  const parts = new Intl.NumberFormat(tag, options).formatToParts(count);
  return parts.findLast(({ type }) => type === 'currency')?.value ?? currency;
}

/** A currency's name for a number of it, by its code of ISO 4217, or `$`, `¥`, `kr` and `cent`, which several countries share. */
function currencyNameOf(tag: string, own: Settings, code: string, count: number): string {
  const [home, word] = own.home?.split(' ') ?? [];
  const krona = /^(?:SEK|NOK|DKK)$/.test(home ?? '') ? home : 'DKK';
  const currency = { $: 'USD', '¥': 'JPY', kr: krona }[code] ?? code;
  if (!/^[A-Z]{3}$/.test(currency)) return code;
  const written = currencyOf(tag, currency, count).replaceAll('\u200b', '');
  const full = own.tidyCurrency?.(written) ?? written;
  const words = full.split(' ');
  const homeName = word === 'first' ? words[0] : words.at(-1);
  const ofHome = home === currency ? (homeName ?? full) : full;
  const name = code === '$' ? full.replace(own.country ?? usualCountry, '') : ofHome;
  return own.capitalizesNouns ? name : name.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
}

export function moneyWords(numbers: NumberWords, { sayPer }: UnitWords) {
  const { own, intlTag, spellOut, join, signed, sayAmount, formOf } = numbers;
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
    const { first, last, magnitude, sign } = amount;
    const cased = numbers.genitive(amount, place, end);
    const isMany = (cased ?? (last && own.lastForm)) !== undefined && (last ?? first).fraction === undefined;
    const name = nameOf(currency, isMany ? { first: { whole: '5' } } : amount);
    const isFeminine = own.feminineCurrency?.test(name) ?? false;
    const form = cased ?? formOf(isFeminine ? 'feminine' : (own.moneyGender ?? 'masculine'));
    const isAlone = last === undefined && magnitude === undefined;
    const hasCents = first.fraction?.length === 2;
    const numbered =
      isAlone && (hasCents || first.fraction === undefined) ? own.numbered?.(name, first.whole) : undefined;
    const named = (said: string): string => {
      if (numbered !== undefined) return signed(sign, numbered);
      return own.currencyFirst ? join(name, said) : join(own.linker?.(said) ?? said, name);
    };
    const { ofMillions } = own;
    if (ofMillions !== undefined && /^(?!mil(?:le|a)?$)[mb]il/.test(magnitude ?? ''))
      return join(sayAmount(amount, form), fill(ofMillions, name));
    // "un milione di euro", however it is written.
    const isInMillions = /^[1-9]\d*0{6}$/.test(first.whole) && (first.fraction === undefined || hasCents);
    const isMillions = ofMillions !== undefined && last === undefined && isInMillions && !own.currencyFirst;
    const cents = Number(first.fraction ?? 0);
    if (isMillions && cents === 0)
      return join(sayAmount({ ...amount, first: { whole: first.whole } }, form), fill(ofMillions, name));
    if (!isAlone || !hasCents || withoutCents.test(currency)) return named(sayAmount(amount, form));
    const parts = Number(first.whole) === 0 ? hundredths[dollars.test(currency) ? 'USD' : currency] : undefined;
    if (parts !== undefined && cents > 0) {
      const part = numbers.agreeing(parts, { whole: String(cents) }, '');
      const partForm = formOf(/а(?:\||$)/.test(parts) ? 'feminine' : (own.moneyGender ?? 'masculine'));
      return signed(sign, join(spellOut(partForm, cents), part));
    }
    const whole = { first: { whole: first.whole }, sign };
    const units = isMillions
      ? sayPrice({ kind: 'money', amount: whole, currency }, place, end)
      : named(sayAmount(whole, form));
    const gap = own.cents === undefined || own.spacing === 'behind' ? '' : ' ';
    return cents === 0 ? units : `${units} ${own.cents ?? ''}${gap}${spellOut(numbers.base, cents)}`;
  };
  return (meaning: Meaning<'money'>, place: Place, end: number): string =>
    meaning.per === undefined ? sayPrice(meaning, place, end) : sayPer(sayPrice(meaning, place, end), meaning.per);
}
