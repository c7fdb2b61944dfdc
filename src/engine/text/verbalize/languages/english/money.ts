/** Money of English in words. */

import { tableOf } from '../../../table.ts';
import { isOne } from '../../numerals.ts';
import type { Amount } from '../../semiotic.ts';
import { count, sayAmount, saySign } from './numbers.ts';

interface Currency {
  readonly one: string;
  readonly many: string;
  /** Name of one hundredth, if it is counted. */
  readonly cent?: readonly [one: string, many: string];
}
const cent = ['cent', 'cents'] as const;
const dollars = (name: string): Currency => ({ one: `${name} dollar`, many: `${name} dollars`, cent });
const kronor = (name: string, one = 'krone', many = 'kroner'): Currency => ({
  one: `${name}${one}`,
  many: `${name}${many}`,
});
const currencies: Readonly<Record<string, Currency>> = {
  $: { one: 'dollar', many: 'dollars', cent },
  '¥': { one: 'yen', many: 'yen' },
  cent: { one: 'cent', many: 'cents' },
  USD: dollars('US'),
  AUD: dollars('Australian'),
  CAD: dollars('Canadian'),
  NZD: dollars('New Zealand'),
  HKD: dollars('Hong Kong'),
  SGD: dollars('Singapore'),
  TWD: dollars('Taiwan'),
  EUR: { one: 'euro', many: 'euros', cent },
  GBP: { one: 'pound', many: 'pounds', cent: ['penny', 'pence'] },
  JPY: { one: 'yen', many: 'yen' },
  CNY: { one: 'yuan', many: 'yuan' },
  INR: { one: 'rupee', many: 'rupees', cent: ['paisa', 'paise'] },
  KRW: { one: 'won', many: 'won' },
  RUB: { one: 'ruble', many: 'rubles', cent: ['kopeck', 'kopecks'] },
  CHF: { one: 'Swiss franc', many: 'Swiss francs', cent: ['centime', 'centimes'] },
  BRL: { one: 'Brazilian real', many: 'Brazilian reais', cent: ['centavo', 'centavos'] },
  MXN: { one: 'Mexican peso', many: 'Mexican pesos', cent: ['centavo', 'centavos'] },
  kr: kronor('', 'krona', 'kronor'),
  SEK: kronor('Swedish ', 'krona', 'kronor'),
  NOK: kronor('Norwegian '),
  DKK: kronor('Danish '),
  TRY: { one: 'Turkish lira', many: 'Turkish lira' },
  PLN: { one: 'zloty', many: 'zlotys' },
  CZK: { one: 'Czech koruna', many: 'Czech koruna' },
  HUF: { one: 'forint', many: 'forints' },
  UAH: { one: 'hryvnia', many: 'hryvnias' },
  VND: { one: 'dong', many: 'dong' },
  NGN: { one: 'naira', many: 'naira' },
  PHP: { one: 'peso', many: 'pesos', cent: ['centavo', 'centavos'] },
  THB: { one: 'baht', many: 'baht' },
  ILS: { one: 'shekel', many: 'shekels' },
  ZAR: { one: 'rand', many: 'rand', cent },
  IDR: { one: 'rupiah', many: 'rupiah' },
  MYR: { one: 'ringgit', many: 'ringgit' },
  BTC: { one: 'bitcoin', many: 'bitcoins' },
  pence: { one: 'penny', many: 'pence' },
  ETH: { one: 'ether', many: 'ether' },
};
const nameOf = (code: string, count: number): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'name' })
    .formatToParts(count)
    .find(({ type }) => type === 'currency')?.value ?? code;
export const currencyOf = (code: string): Currency =>
  currencies[code] ?? { one: nameOf(code, 1), many: nameOf(code, 2) };

export function sayCoins(amount: Amount, { one, many, cent: part }: Currency): string {
  const { first, last, magnitude, sign } = amount;
  const { whole, fraction } = first;
  // `$5.00-$7.50`
  if (last !== undefined && magnitude === undefined && (fraction?.length === 2 || last.fraction?.length === 2)) {
    const coins = { one, many, ...(part === undefined ? {} : { cent: part }) };
    return `${sayCoins({ sign, first }, coins)} to ${sayCoins({ first: last }, coins)}`;
  }
  if (part === undefined || last !== undefined || magnitude !== undefined || fraction?.length !== 2) {
    return `${sayAmount(amount)} ${isOne(amount) ? one : many}`;
  }
  const cents = Number(fraction) === 0 ? undefined : count(String(Number(fraction)), ...part);
  const units =
    (whole === '0' || whole === '') && cents !== undefined ? undefined : count(whole === '' ? '0' : whole, one, many);
  return saySign(sign) + [units, cents].filter((said) => said !== undefined).join(' and ');
}

/** `five $10 bills` */
export const notes = /\s(?:bills?|notes?|coins?|banknotes?|tickets?|vouchers?|gift cards?)(?!\p{L})/uy;

export const perWords = tableOf(`
  mo=month|yr=year|hr=hour|h=hour|wk=week|lb=pound|kg=kilogram|g=gram|oz=ounce|gal=gallon|l=liter|L=liter|ft=foot|m=meter|
  km=kilometer|mi=mile|min=minute|s=second|sec=second|kWh=kilowatt hour|MWh=megawatt hour|GB=gigabyte|MB=megabyte|ea=each|
  pc=piece|t=ton|sqft=square foot|d=day|bbl=barrel
`);
