/** English rules for money, measurements, percentages and fractions. */
import { digitsOf, start, stop } from './english-patterns.ts';
import { englishUnits } from './english-units.ts';
import { sayEnglish, sayEnglishOrdinal } from './number-words.ts';
import { anyOf, number, type Rule, rule } from './rules.ts';

interface Currency {
  readonly one: string;
  readonly many: string;
  /** Name of one hundredth, if there is one. */
  readonly cent?: readonly [one: string, many: string];
}

const cent = ['cent', 'cents'] as const;
const penny = ['penny', 'pence'] as const;
const currencies: Readonly<Record<string, Currency>> = {
  $: { one: 'dollar', many: 'dollars', cent },
  US$: { one: 'US dollar', many: 'US dollars', cent },
  USD: { one: 'US dollar', many: 'US dollars', cent },
  '€': { one: 'euro', many: 'euros', cent },
  EUR: { one: 'euro', many: 'euros', cent },
  '£': { one: 'pound', many: 'pounds', cent: penny },
  GBP: { one: 'British pound', many: 'British pounds', cent: penny },
  '¥': { one: 'yen', many: 'yen' },
  JPY: { one: 'yen', many: 'yen' },
  CNY: { one: 'yuan', many: 'yuan' },
  RMB: { one: 'yuan', many: 'yuan' },
  '₹': { one: 'rupee', many: 'rupees', cent: ['paisa', 'paise'] },
  '₩': { one: 'won', many: 'won' },
};
const magnitudes: Readonly<Record<string, string>> = { k: 'thousand', m: 'million', bn: 'billion', b: 'billion' };

const count = (amount: string, one: string, many: string): string =>
  `${sayEnglish(amount)} ${Number(amount) === 1 ? one : many}`;

function sayMoney(sign = '', amount = '', magnitude?: string): string | undefined {
  const currency = currencies[sign];
  if (currency === undefined) return undefined;
  if (magnitude !== undefined) {
    return `${sayEnglish(amount)} ${magnitudes[magnitude.toLowerCase()] ?? magnitude} ${currency.many}`;
  }
  const [whole = '0', fraction] = amount.split('.');
  if (currency.cent === undefined || fraction?.length !== 2) return count(amount, currency.one, currency.many);
  const cents = Number(fraction) === 0 ? undefined : count(digitsOf(fraction), ...currency.cent);
  const units = whole === '0' && cents !== undefined ? undefined : count(whole, currency.one, currency.many);
  return [units, cents].filter((part) => part !== undefined).join(' and ');
}

const scales: Readonly<Record<string, string>> = { C: ' Celsius', F: ' Fahrenheit' };

const parts = ['half', 'third', 'quarter', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'] as const;

function sayFraction(above = '', below = ''): string {
  if (above === '24' && below === '7') return 'twenty-four seven';
  const part = parts[Number(below) - 2];
  if (part === undefined || Number(above) >= Number(below)) return `${sayEnglish(above)} over ${sayEnglish(below)}`;
  return count(above, part, `${part}s`);
}

const signs: Readonly<Record<string, readonly [above: string, below: string]>> = {
  '½': ['1', '2'],
  '⅓': ['1', '3'],
  '⅔': ['2', '3'],
  '¼': ['1', '4'],
  '¾': ['3', '4'],
  '⅛': ['1', '8'],
  '⅜': ['3', '8'],
  '⅝': ['5', '8'],
  '⅞': ['7', '8'],
};
const saySign = (sign = ''): string => sayFraction(...(signs[sign] ?? []));

const long = 'thousand|million|billion|trillion';

export const amountRules: readonly Rule[] = [
  rule(
    `(?<![\\p{L}\\p{N}])(US\\$|[$€£¥₹₩])\\s?${number}(?:\\s?(${long})|([kKmM]|bn|B))?(?!\\p{L}|[.,]?\\d)`,
    ([, sign, amount, word, letter]) => sayMoney(sign, amount, word ?? letter),
  ),
  rule(`${start}${number}\\s?(${long})?\\s?(USD|EUR|GBP|JPY|CNY|RMB)(?!\\p{L})`, ([, amount, word, code]) =>
    sayMoney(code, amount, word),
  ),
  rule(
    `${start}${number}\\s?([%‰])`,
    ([, amount = '', sign]) => `${sayEnglish(amount)} per${sign === '%' ? 'cent' : ' mille'}`,
  ),
  rule(
    `${start}${number}\\s?°\\s?([CF])?(?!\\p{L})`,
    ([, amount = '', scale = '']) => `${count(amount, 'degree', 'degrees')}${scales[scale] ?? ''}`,
  ),
  rule(`${start}${number}\\s?(${anyOf(englishUnits)})(?![\\p{L}\\p{N}²³/])`, ([, amount = '', unit = '']) =>
    count(amount, ...(englishUnits[unit] as readonly [string, string])),
  ),
  rule(`${start}(\\d{1,3}(?:,\\d{3})*|\\d+)(?:st|nd|rd|th)(?!\\p{L})`, ([, digits = '']) =>
    sayEnglishOrdinal(digits.replaceAll(',', '')),
  ),
  rule(
    `(?<!\\d)(\\d+)\\s?([${Object.keys(signs).join('')}])`,
    ([, whole = '', sign]) => `${sayEnglish(whole)} and ${saySign(sign)}`,
  ),
  rule(`[${Object.keys(signs).join('')}]`, ([sign]) => saySign(sign)),
  rule(`${start}(\\d{1,3})/(\\d{1,3})${stop}`, ([, above, below]) => sayFraction(above, below)),
];
