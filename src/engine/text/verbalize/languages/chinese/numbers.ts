/** Numbers of Chinese in words. */
import { numberRules } from '../../generated/zh.ts';
import type { Amount, Numeral, Sign } from '../../semiotic.ts';
import { createSpelling } from '../../spell-out.ts';

export const spelling = createSpelling('zh', numberRules);
const { spellOut } = spelling;

const digitNames = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'] as const;
const longestNumber = 15;

/** Digits one by one; other characters are left out. */
export const spellChinese = (digits: string): string =>
  [...digits.replace(/\D/g, '')].map((digit) => digitNames[Number(digit)]).join('');

/** As numbers are dialled, where 1 is 幺. */
export const dial = (digits: string): string => spellChinese(digits).replaceAll('一', '幺');

/** Long numbers in the groups that they are dialled in. */
export const inFours = (digits: string): readonly string[] =>
  /^1[3-9]\d{9}$/.test(digits)
    ? [digits.slice(0, 3), digits.slice(3, 7), digits.slice(7)]
    : digits.length === 7 || digits.length === 8
      ? [digits.slice(0, -4), digits.slice(-4)]
      : [digits];

/** A million millions is 一万亿, as 兆 is a million elsewhere; CLDR leaves out the 零 behind 亿. */
export function cardinal(digits: string): string {
  if (digits.length > longestNumber) return spellChinese(digits);
  const number = Number(digits);
  if (number < 1e8) return spellOut('cardinal', number);
  const [high, low] = [Math.floor(number / 1e8), number % 1e8];
  const rest = low === 0 ? '' : `${low < 1e7 ? '零' : ''}${spellOut('cardinal', low).replace(/^十(?!万)/, '一十')}`;
  return `${spellOut('cardinal', high)}亿${rest}`;
}

/** 两百, 两千 and 两万, but 二十, 十二 and 一万二千. */
export const sayWhole = (digits: string): string =>
  /^0\d/.test(digits) ? spellChinese(digits) : cardinal(digits).replace(/^二(?=[百千万亿])/, '两');

export const sayNumeral = ({ whole, fraction }: Numeral): string => {
  const words = sayWhole(whole === '' ? '0' : whole);
  return fraction === undefined ? words : `${words}点${spellChinese(fraction)}`;
};

const signs: Readonly<Record<Sign, string>> = { '-': '负', '+': '正', '±': '正负', '~': '约' };
export const saySign = (sign: Sign | undefined): string => (sign === undefined ? '' : signs[sign]);

/** A count of two is 两. */
export const sayCount = (numeral: Numeral): string =>
  numeral.whole === '2' && numeral.fraction === undefined ? '两' : sayNumeral(numeral);

export const sayAmountWith = (
  say: (numeral: Numeral) => string,
  { sign, first, last, lastSign, magnitude = '' }: Amount,
): string => {
  const firstSaid = last === undefined && magnitude !== '' ? sayCount(first) : say(first);
  return `${saySign(sign)}${firstSaid}${last === undefined ? '' : `到${saySign(lastSign)}${say(last)}`}${magnitude}`;
};
