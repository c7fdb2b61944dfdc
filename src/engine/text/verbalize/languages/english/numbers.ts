/** Numbers of English in words. */

import { numberRules } from '../../generated/en.ts';
import type { Amount, Numeral, Sign } from '../../semiotic.ts';
import { createSpelling } from '../../spell-out.ts';
import { isSaidPart } from '../parts.ts';

export const spelling = createSpelling('en', numberRules);
const { spellOut } = spelling;

const digitNames = 'zero one two three four five six seven eight nine'.split(' ');
/** Longer numbers are hard to follow as one. */
const longestNumber = 15;

/** Digits one by one; other characters are left out. */
export const spellEnglish = (digits: string): string =>
  [...digits.replace(/[^\dX]/g, '')].map((digit) => (digit === 'X' ? 'X' : digitNames[Number(digit)])).join(' ');

/** The same with letters, as in an IBAN. */
export const spellCharacters = (written: string): string =>
  [...written].map((character) => digitNames[Number(character)] ?? character).join(' ');

export const cardinal = (digits: string): string =>
  digits.length > longestNumber ? spellEnglish(digits) : spellOut('cardinal', Number(digits));

/** `007` is no amount. */
export const sayWhole = (digits: string): string => (/^0\d/.test(digits) ? spellEnglish(digits) : cardinal(digits));

export const sayNumeral = ({ whole, fraction }: Numeral): string => {
  const words = whole === '' ? '' : sayWhole(whole);
  return fraction === undefined ? words : `${words} point ${spellEnglish(fraction)}`.trimStart();
};

export const sayEnglish = (text: string): string => {
  const [whole = '', fraction] = text.replaceAll(',', '').split('.');
  return sayNumeral({ whole: whole === '' ? '0' : whole, fraction });
};

export const sayEnglishOrdinal = (digits: string): string =>
  digits.length > longestNumber || /^0\d/.test(digits) ? spellEnglish(digits) : spellOut('ordinal', Number(digits));

/** Two digits behind others: "oh five", "forty-four". */
export const sayPair = (digits: string): string =>
  digits.startsWith('0') ? `oh ${cardinal(digits.slice(1))}` : cardinal(digits);

/** "nineteen oh five", "two thousand six", "twenty twenty-six", "six eighty", "forty-four". */
export function sayEnglishYear(digits: string): string {
  const number = Number(digits);
  if (digits.length === 2) return sayPair(digits);
  const [century, rest] = [Math.floor(number / 100), number % 100];
  if (digits.length < 3 || number < 100) return cardinal(String(number));
  if (century % 10 === 0 && rest < 10) return cardinal(String(number));
  if (rest === 0) return `${cardinal(String(century))} hundred`;
  return `${cardinal(String(century))} ${sayPair(digits.slice(-2))}`;
}

const signWordsOf = { '-': 'minus ', '+': 'plus ', '±': 'plus or minus ', '~': 'about ' } as const;
export const saySign = (sign: Sign | undefined): string => (sign === undefined ? '' : signWordsOf[sign]);

export const sayAmount = ({ sign, first, last, lastSign, magnitude }: Amount): string => {
  const range = last === undefined ? '' : ` to ${saySign(lastSign)}${sayNumeral(last)}`;
  return `${saySign(sign)}${sayNumeral(first)}${range}${magnitude === undefined ? '' : ` ${magnitude}`}`;
};

export const count = (digits: string, one: string, many: string): string =>
  `${sayWhole(digits)} ${digits === '1' ? one : many}`;

export const parts = ['half', 'third', 'quarter', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'] as const;
export function sayFraction(above: string, below: string): string {
  const part = parts[Number(below) - 2] ?? (isSaidPart(Number(below)) ? sayEnglishOrdinal(below) : undefined);
  if (above === below) return `${sayWhole(above)} out of ${sayWhole(below)}`;
  if (part === undefined || (Number(above) >= Number(below) && below !== '2'))
    return `${sayWhole(above)} over ${sayWhole(below)}`;
  const many = part === 'half' ? 'halves' : `${part}s`;
  return `${sayWhole(above)} ${above === '1' ? part : many}`;
}

export function sayPower(exponent: string): string {
  if (exponent === '2') return ' squared';
  if (exponent === '3') return ' cubed';
  if (/^\p{L}$/u.test(exponent)) return ` to the power of ${exponent}`;
  return ` to the power of ${exponent.startsWith('-') ? 'minus ' : ''}${sayWhole(exponent.replace(/\D/g, ''))}`;
}

/** Pairs of digits, as sizes of screens are read: "nineteen twenty". */
export function sayPairs(numeral: Numeral): string {
  const { whole, fraction } = numeral;
  if (fraction !== undefined || !/^[1-9]\d{2,3}$/.test(whole)) return sayNumeral(numeral);
  const [first, rest] = [whole.slice(0, -2), whole.slice(-2)];
  if (rest === '00') return sayWhole(whole);
  return /^[1-9]0$/.test(first) && rest.startsWith('0') ? sayWhole(whole) : `${sayWhole(first)} ${sayPair(rest)}`;
}
