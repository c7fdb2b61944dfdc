/** Numbers as English and Chinese words, from n2words. */
import { toCardinal as englishCardinal, toOrdinal as englishOrdinal } from 'n2words/en-US';
import { toCardinal as chineseCardinal } from 'n2words/zh-Hans-CN';

/** Longer numbers are read digit by digit: they are hard to follow, and the library lacks their Chinese words. */
const longestNumber = 15;

const englishDigits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const;
const chineseDigits = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'] as const;

/** Reads digits one by one; ignores other characters. */
export const spellEnglish = (digits: string): string =>
  [...digits.replace(/\D/g, '')].map((digit) => englishDigits[Number(digit)]).join(' ');

export const spellChinese = (digits: string): string =>
  [...digits.replace(/\D/g, '')].map((digit) => chineseDigits[Number(digit)]).join('');

/** A number in digits, with optional commas between thousands and a decimal point. */
interface Numeral {
  readonly whole: string;
  readonly fraction: string | undefined;
}

function parse(text: string): Numeral {
  const [whole = '', fraction] = text.replaceAll(',', '').split('.');
  return { whole: whole === '' ? '0' : whole, fraction };
}

/** Whether to read digit by digit: `007` and account numbers are not amounts. */
const isSpelled = ({ whole }: Numeral): boolean => whole.length > longestNumber || /^0\d/.test(whole);

/** `1,234.50` to "one thousand two hundred thirty-four point five zero". */
export function sayEnglish(text: string): string {
  const numeral = parse(text);
  const whole = isSpelled(numeral) ? spellEnglish(numeral.whole) : englishCardinal(numeral.whole);
  return numeral.fraction === undefined ? whole : `${whole} point ${spellEnglish(numeral.fraction)}`;
}

/** Digits to an ordinal, such as "twenty-first". */
export const sayEnglishOrdinal = (digits: string): string =>
  digits.length > longestNumber || /^0/.test(digits) ? spellEnglish(digits) : englishOrdinal(digits);

/** A year from 1000 to 2999 to words: "nineteen oh five", "two thousand six", "twenty twenty-six". */
export function sayEnglishYear(digits: string): string {
  const [century, rest] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (century % 10 === 0 && rest < 10) return englishCardinal(digits);
  if (rest === 0) return `${englishCardinal(century)} hundred`;
  return `${englishCardinal(century)} ${rest < 10 ? 'oh ' : ''}${englishCardinal(rest)}`;
}

/** `1,234.50` to 一千二百三十四点五零, and `12` to 十二. */
export function sayChinese(text: string): string {
  const numeral = parse(text);
  const whole = isSpelled(numeral)
    ? spellChinese(numeral.whole)
    : chineseCardinal(numeral.whole, { formal: false }).replace(/^一十/, '十');
  return numeral.fraction === undefined ? whole : `${whole}点${spellChinese(numeral.fraction)}`;
}
