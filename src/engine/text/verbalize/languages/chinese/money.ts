/** Names of currencies in Chinese, and amounts with a letter that multiplies them. */

import { tableOf } from '../../../table.ts';
import { numberOf } from '../../numerals.ts';
import type { Amount, Numeral } from '../../semiotic.ts';
import { currencyOf } from '../money-words.ts';

const currencies = tableOf(`
  $=美元|¥=元|cent=美分|USD=美元|EUR=欧元|GBP=英镑|JPY=日元|CNY=元|KRW=韩元|INR=卢比|RUB=卢布|THB=泰铢|AUD=澳元|CAD=加元|HKD=港元|SGD=新加坡元|TWD=新台币|
  CHF=瑞士法郎|NZD=新西兰元|BRL=巴西雷亚尔|MXN=墨西哥比索|VND=越南盾|MYR=马来西亚林吉特|IDR=印尼盾|PHP=菲律宾比索|TRY=土耳其里拉|SEK=瑞典克朗|NOK=挪威克朗|DKK=丹麦克朗|kr=克朗|
  UAH=乌克兰格里夫纳|ILS=以色列新谢克尔|PLN=波兰兹罗提|ZAR=南非兰特|BTC=比特币|ETH=以太币|NGN=奈拉|MOP=澳门元
`);
export const currencyName = (code: string): string => currencies[code] ?? currencyOf('zh', code, 1);
export const factors: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, m: 1e6, M: 1e6, b: 1e9, B: 1e9, bn: 1e9 };

/** `$1.2M` is 120万. */
export function multiplied(amount: Amount): Amount {
  const factor = factors[amount.magnitude ?? ''];
  if (factor === undefined) return amount;
  const times = (numeral: Numeral): Numeral => ({ whole: String(Math.round(numberOf(numeral) * factor)) });
  const { first, last, ...rest } = amount;
  return { ...rest, magnitude: undefined, first: times(first), last: last === undefined ? undefined : times(last) };
}

/** Currency written after an amount whose sign says it already: `￥5元`. */
export const namedAgain = /\s?(?:人民币|美元|欧元|英镑|日元|港元|港币|元|块钱|块|圆)/uy;
