/** Money of English in words. */

import { tableOf } from '../../../table.ts';
import { isOne } from '../../numerals.ts';
import type { Amount } from '../../semiotic.ts';
import { currencyOf } from '../money-words.ts';
import { count, sayAmount, saySign } from './numbers.ts';

/** One and many of a currency, and of its hundredths, if they are counted. */
type Currency = Readonly<Record<'one' | 'many', string>> & {
  readonly cents?: readonly [one: string, many: string] | undefined;
};
/** One and many of them, and of their hundredths. */
const currencies = tableOf(`
  $=dollar/dollars/cent/cents|¥=yen/yen|cent=cent/cents|USD=US dollar/US dollars/cent/cents|
  AUD=Australian dollar/Australian dollars/cent/cents|CAD=Canadian dollar/Canadian dollars/cent/cents|
  NZD=New Zealand dollar/New Zealand dollars/cent/cents|HKD=Hong Kong dollar/Hong Kong dollars/cent/cents|
  SGD=Singapore dollar/Singapore dollars/cent/cents|TWD=Taiwan dollar/Taiwan dollars/cent/cents|EUR=euro/euros/cent/cents|
  GBP=pound/pounds/penny/pence|JPY=yen/yen|CNY=yuan/yuan|INR=rupee/rupees/paisa/paise|KRW=won/won|
  RUB=ruble/rubles/kopeck/kopecks|CHF=Swiss franc/Swiss francs/centime/centimes|
  BRL=Brazilian real/Brazilian reais/centavo/centavos|MXN=Mexican peso/Mexican pesos/centavo/centavos|kr=krona/kronor|
  SEK=Swedish krona/Swedish kronor|NOK=Norwegian krone/Norwegian kroner|DKK=Danish krone/Danish kroner|
  TRY=Turkish lira/Turkish lira|PLN=zloty/zlotys|CZK=Czech koruna/Czech koruna|HUF=forint/forints|UAH=hryvnia/hryvnias|
  VND=dong/dong|NGN=naira/naira|PHP=peso/pesos/centavo/centavos|THB=baht/baht|ILS=shekel/shekels|ZAR=rand/rand/cent/cents|
  IDR=rupiah/rupiah|MYR=ringgit/ringgit|BTC=bitcoin/bitcoins|pence=penny/pence|ETH=ether/ether
`);
export function currencyNamed(code: string): Currency {
  const named = currencies[code]?.split('/') ?? [];
  const [one = currencyOf('en', code, 1), many = currencyOf('en', code, 2), cent, cents] = named;
  return { one, many, cents: cent === undefined || cents === undefined ? undefined : [cent, cents] };
}

export function sayCoins(amount: Amount, currency: Currency): string {
  const { first, last, magnitude, sign } = amount;
  const { one, many, cents } = currency;
  const { whole, fraction } = first;
  // `$5.00-$7.50`
  if (last !== undefined && magnitude === undefined && (fraction?.length === 2 || last.fraction?.length === 2))
    return `${sayCoins({ sign, first }, currency)} to ${sayCoins({ first: last }, currency)}`;
  if (cents === undefined || last !== undefined || magnitude !== undefined || fraction?.length !== 2)
    return `${sayAmount(amount)} ${isOne(amount) ? one : many}`;
  const hasUnits = Number(whole) !== 0 || Number(fraction) === 0;
  const units = hasUnits ? [count(whole === '' ? '0' : whole, one, many)] : [];
  const parts = Number(fraction) === 0 ? [] : [count(String(Number(fraction)), ...cents)];
  return saySign(sign) + [...units, ...parts].join(' and ');
}

/** `five $10 bills` */
export const notes = /\s(?:bills?|notes?|coins?|banknotes?|tickets?|vouchers?|gift cards?)(?!\p{L})/uy;

export const perWords = tableOf(`
  mo=month|yr=year|hr=hour|h=hour|wk=week|lb=pound|kg=kilogram|g=gram|oz=ounce|gal=gallon|l=liter|L=liter|ft=foot|m=meter|
  km=kilometer|mi=mile|min=minute|s=second|sec=second|kWh=kilowatt hour|MWh=megawatt hour|GB=gigabyte|MB=megabyte|ea=each|
  pc=piece|t=ton|sqft=square foot|d=day|bbl=barrel
`);
