/** Numbers as words of English and Chinese; the words are n2words'. */
import { toCardinal as englishCardinal, toOrdinal as englishOrdinal } from 'n2words/en-US';
import { toCardinal as chineseCardinal } from 'n2words/zh-Hans-CN';

/** Longer ones are read digit by digit: nobody takes in such a number, and the library has no Chinese for it. */
const longestNumber = 15;

const englishDigits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const;
const chineseDigits = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'] as const;

/** Digits one by one; what is no digit is left out. */
export const spellEnglish = (digits: string): string =>
  [...digits.replace(/\D/g, '')].map((digit) => englishDigits[Number(digit)]).join(' ');

export const spellChinese = (digits: string): string =>
  [...digits.replace(/\D/g, '')].map((digit) => chineseDigits[Number(digit)]).join('');

/** A number of digits, with commas between thousands and one decimal point at most. */
interface Numeral {
  readonly whole: string;
  readonly fraction: string | undefined;
}

function parse(text: string): Numeral {
  const [whole = '', fraction] = text.replaceAll(',', '').split('.');
  return { whole: whole === '' ? '0' : whole, fraction };
}

/** `007` and account numbers are no amounts. */
const isSpelled = ({ whole }: Numeral): boolean => whole.length > longestNumber || /^0\d/.test(whole);

/** `1,234.50` as "one thousand two hundred thirty-four point five zero". */
export function sayEnglish(text: string): string {
  const numeral = parse(text);
  const whole = isSpelled(numeral) ? spellEnglish(numeral.whole) : englishCardinal(numeral.whole);
  return numeral.fraction === undefined ? whole : `${whole} point ${spellEnglish(numeral.fraction)}`;
}

/** "twenty-first"; of digits only. */
export const sayEnglishOrdinal = (digits: string): string =>
  digits.length > longestNumber || /^0/.test(digits) ? spellEnglish(digits) : englishOrdinal(digits);

/** A year from 1000 to 2999 as it is said: "nineteen oh five", "two thousand six", "twenty twenty-six". */
export function sayEnglishYear(digits: string): string {
  const [century, rest] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (century % 10 === 0 && rest < 10) return englishCardinal(digits);
  if (rest === 0) return `${englishCardinal(century)} hundred`;
  return `${englishCardinal(century)} ${rest < 10 ? 'oh ' : ''}${englishCardinal(rest)}`;
}

/** `1,234.50` as 一千二百三十四点五零, and `12` as 十二. */
export function sayChinese(text: string): string {
  const numeral = parse(text);
  const whole = isSpelled(numeral)
    ? spellChinese(numeral.whole)
    : chineseCardinal(numeral.whole, { formal: false }).replace(/^一十/, '十');
  return numeral.fraction === undefined ? whole : `${whole}点${spellChinese(numeral.fraction)}`;
}
