/** Money: signs and codes of currencies before or behind an amount, magnitudes, ranges, and what it is paid for. */
import { tableOf } from '../../table.ts';
import type { Amount, Language, Place } from '../language.ts';
import {
  isMagnitude,
  magnitudeWord,
  readAmount,
  readMagnitude,
  readNumeral,
  readSign,
  takeRangeMark,
} from '../numerals.ts';
import { attempt, type Cursor, endsSentence, isNext, take, tokenClass } from '../place.ts';
import { abbreviationPeriod } from './measures.ts';

/** `$` and `¥` stand for themselves: whose they are is not written. */
const signs = tableOf(`
  USD$=USD|MEX$=MXN|₧=ESP|US$=USD|A$=AUD|AU$=AUD|C$=CAD|CA$=CAD|CAD$=CAD|NZ$=NZD|HK$=HKD|S$=SGD|SG$=SGD|NT$=TWD|MX$=MXN|R$=BRL|AR$=ARS|J$=JMD|CN¥=CNY|
  JP¥=JPY|$=$|€=EUR|£=GBP|¥=¥|￥=¥|＄=$|￡=GBP|₹=INR|₩=KRW|￦=KRW|₽=RUB|₺=TRY|₴=UAH|₫=VND|₦=NGN|₱=PHP|฿=THB|৳=BDT|₪=ILS|₡=CRC|₲=PYG|
  ₵=GHS|₸=KZT|₿=BTC|₮=MNT|₭=LAK|៛=KHR|₼=AZN|₾=GEL|¢=cent|￠=cent
`);
/** Abbreviations that are written like words. */
const abbreviations = tableOf(`
  kr=kr|zł=PLN|Kč=CZK|Ft=HUF|Rs=INR|Rs.=INR|RM=MYR|Rp=IDR|Fr.=CHF|SFr=CHF|SFr.=CHF|RMB=CNY|BTC=BTC|ETH=ETH|руб=RUB|руб.=RUB|
  TL=TRY|ДИН=RSD
`);
const codes = new Set(
  `USD EUR GBP JPY CNY CHF CAD AUD NZD HKD SGD TWD KRW INR BRL MXN RUB TRY SEK NOK DKK PLN CZK HUF RON BGN UAH ZAR NGN
  KES EGP AED SAR QAR KWD ILS THB VND IDR MYR PHP PKR BDT LKR ARS CLP COP PEN ISK KZT GEL MAD TND JOD BHD OMR TWD MMK
  KHR LAK TZS UGX GHS ETB IRR IQD HRK RSD NIO GTQ UYU`.split(/\s+/),
);
/** Codes that people write in small letters too, as they are no words. */
const smallCodes = /^(?:usd|eur|gbp|jpy|cny|chf|inr|krw|brl|mxn|aud|nzd|hkd|sgd|pln|czk|huf|vnd|thb|idr|nio|gtq|aed)$/;
const codeOf = (written: string): string | undefined => {
  const code = smallCodes.test(written) ? written.toUpperCase() : written;
  return codes.has(code) ? code : undefined;
};
/** Also words, so that a number behind them is something else. */
const words = new Set(['TRY', 'COP', 'PEN', 'MAD', 'LAK', 'TOP', 'GEL']);

const sign = new RegExp(
  `(?:[A-Z]{1,3}[$¥]|(?:us|r|mex)\\$|[${Object.keys(signs)
    .filter((key) => key.length === 1)
    .join('')}])`,
  'uy',
);
const word = /\p{sc=Arab}\.\p{sc=Arab}(?!\p{L})|[\p{L}\p{M}]{1,7}\.?/uy;
const space = /[ \u00a0\u202f]?/y;

function readCurrency(cursor: Cursor, { currencies }: Language): string | undefined {
  const start = cursor.at;
  const [mark] = take(cursor, sign) ?? [];
  if (mark !== undefined) {
    const currency = signs[mark.toUpperCase()];
    if (currency === undefined) cursor.at = start;
    return currency;
  }
  const [name = ''] = take(cursor, word) ?? [];
  for (const written of [name, name.replace(/\.$/, '')]) {
    const currency = currencies.get(written) ?? abbreviations[written] ?? codeOf(written);
    if (currency === undefined) continue;
    cursor.at = start + written.length;
    // `5 руб. Он ушёл.`
    if (written.endsWith('.') && endsSentence(cursor.text, cursor.at, 'any capital')) cursor.at -= 1;
    // `50 kr. om året`
    if (/\p{Ll}$/u.test(written)) take(cursor, abbreviationPeriod);
    // `5 kronor` is written out, `EURUSD` is no code.
    if (!isNext(cursor.text, cursor.at, /[A-Za-zÀ-ɏ\p{Script=Cyrillic}]/uy)) return currency;
  }
  cursor.at = start;
  return undefined;
}

const isCurrencyWord = (word: string, { currencies }: Language): boolean =>
  [word, `${word}.`].some(
    (written) => currencies.has(written) || abbreviations[written] !== undefined || codeOf(written) !== undefined,
  );

/** A letter follows the amount at once, more may have a space before them. */
const moneyLetters =
  /(?:(?<! )|[ \u00a0](?=(?:\p{Ll}{2,3}|[kmbMB])(?![\p{L}'’/²³-])))([A-Za-z]{1,3})(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])\.?/uy;
function readMoneyMagnitude(cursor: Cursor, language: Language): string | undefined {
  return (
    readMagnitude(cursor, moneyLetters, language, language.moneyMagnitudes) ??
    readMagnitude(cursor, magnitudeWord, language, language.magnitudes)
  );
}

/** Unit that an amount is paid for; `R$10/R$20` are two amounts. */
const per = /\/[ ]?(\p{L}{1,12}[²³]?(?:\/\p{L}{1,12}){0,2})(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{Sc}\d/])/uy;
/** With the period of an abbreviation, unless it ends the sentence. */
function readPer(cursor: Cursor): string | undefined {
  const [, unit] = take(cursor, per) ?? [];
  if (
    unit !== undefined &&
    /(?:^|\/)\p{L}{1,4}$/u.test(unit) &&
    !endsSentence(cursor.text, cursor.at + 1, 'any capital')
  )
    take(cursor, /\./y);
  return unit;
}

function readBefore(place: Place, cursor: Cursor): (Amount & { readonly currency: string }) | undefined {
  const { language, text } = place;
  const outer = take(cursor, /[-−+~≈](?=[A-Z]{0,3}\p{Sc})/uy) ?? take(cursor, /[-−](?=[A-Z]{3} ?\d)/y);
  const start = cursor.at;
  const currency = readCurrency(cursor, language);
  const written = text.slice(start, cursor.at);
  // `¢75`, but not `5¢ 10`
  const isBehindNumber = currency === 'cent' && (!isNext(text, cursor.at, /\d/y) || /[\d.] ?$/.test(place.before));
  if (currency === undefined || isBehindNumber || currency === 'pence') return undefined;
  if (words.has(written)) return undefined;
  if (!place.isBorder && outer === undefined && /\p{sc=Latn}$/u.test(place.before)) return undefined;
  take(cursor, space);
  const inner = readSign(cursor);
  const first = readNumeral(cursor, language);
  if (first === undefined) return undefined;
  // A version of the language.
  if (written === 'PHP' && /^[4-9]$/.test(first.whole) && first.fraction?.length !== 2) return undefined;
  // `€ 1.250,-`
  take(cursor, /,[-–—]{1,2}(?!\d)/y);
  // `Mo.–Fr. 9–17` are days.
  if (
    currency === 'CHF' &&
    written.startsWith('Fr') &&
    first.fraction?.length !== 2 &&
    !isNext(text, cursor.at, /\.[-–—]/y)
  )
    return undefined;
  const sign = inner ?? (outer === undefined ? undefined : outer[0] === '+' ? '+' : /[~≈]/.test(outer[0]) ? '~' : '-');
  let magnitude = readMoneyMagnitude(cursor, language);
  const end = cursor.at;
  if (
    takeRangeMark(cursor) ||
    take(cursor, /[-‐‑‒–—~～](?=[A-Z]{0,3}\p{Sc})|[ \u00a0][-–—][ \u00a0](?=[A-Z]{0,3}\p{Sc})/uy) !== undefined
  ) {
    const again = readCurrency(cursor, language);
    if (again !== undefined) take(cursor, space);
    const last = again === undefined || again === currency ? readNumeral(cursor, language) : undefined;
    if (last !== undefined && !isNext(text, cursor.at, /[-–]\d/y)) {
      magnitude = readMoneyMagnitude(cursor, language) ?? magnitude;
      return { sign, first, last, magnitude, currency };
    }
    cursor.at = end;
  }
  return { sign, first, magnitude, currency };
}

/** A currency between the numbers of a range: `5€-10€`. */
const betweenNumbers = /[ \u00a0]?(?:[$€£¥₹₩₽₫đ]|kr|zł|[A-Z]{3})(?=[ \u00a0]?[-–—~～][ \u00a0]?\d)/uy;
/** Characters that may follow an amount of money, and the first of a range. */
const behindAmount = /[ \u00a0\u202f]?[\p{L}\p{Sc}]|[,.][-–—]/uy;
const cents = /[ \u00a0](\d\d)(?=$|[,;:!?)]|\.(?!\d))/y;

function readBehind(place: Place, cursor: Cursor): (Amount & { readonly currency: string }) | undefined {
  const { language, text } = place;
  let amount = readAmount(cursor, language, betweenNumbers);
  if (amount === undefined || !isNext(text, cursor.at, behindAmount)) return undefined;
  // `5,- €`
  take(cursor, /[,.][-–—](?=[ \u00a0]?\p{Sc})/uy);
  const magnitude = readMoneyMagnitude(cursor, language);
  const [gap = ''] = take(cursor, space) ?? [];
  const start = cursor.at;
  const currency = readCurrency(cursor, language);
  if (currency === undefined) return undefined;
  // `50p`, but not `1080p`
  if (currency === 'pence' && (gap !== '' || amount.first.whole.length > 2)) return undefined;
  const isMark = isNext(text, start, /\p{Sc}/uy);
  // `3.000 €`: the sign behind is European, and so is the point.
  if (
    isMark &&
    amount.last === undefined &&
    /^\d{3}$/.test(amount.first.fraction ?? '') &&
    amount.first.whole !== '0'
  ) {
    amount = { ...amount, first: { whole: amount.first.whole + amount.first.fraction } };
  }
  // `5 $10 bills`, `10 kr` and not `10K`.
  if (isNext(text, cursor.at, /\d/y) && (gap !== '' || !isMark)) return undefined;
  if (isMark && currency !== 'cent' && amount.first.fraction === undefined && amount.last === undefined) {
    const [, fraction] = take(cursor, cents) ?? [];
    if (fraction !== undefined) return { ...amount, first: { ...amount.first, fraction }, magnitude, currency };
  }
  return { ...amount, magnitude, currency };
}

/** `$ 3.50`, `3,50 €`, `USD 5`, `-£5`, `$5-10 million`, `$20/mo`. A code behind the sign belongs to it. */
export const money = tokenClass(
  {
    begins: 'digit sign letter',
    beginsWith: (word, language) => isCurrencyWord(word, language) || /^[A-Z]{1,3}$/.test(word),
    counts: (word, language) => isCurrencyWord(word, language) || isMagnitude(word, language),
    numberBefore: ['word', 'letter', 'sign', 'mark', 'hyphen'],
    isGlued: true,
  },
  (cursor, place) => {
    if (!place.isBorder && !/\p{Sc}/u.test(place.text[place.start] ?? '')) return undefined;
    const isBehind =
      /[\d.]/.test(place.text[place.start] ?? '') ||
      /^[-−+~±≈][\d.]/.test(place.text.slice(place.start, place.start + 2));
    const read = isBehind ? readBehind(place, cursor) : readBefore(place, cursor);
    if (read === undefined) return undefined;
    const { currency: written, ...exact } = read;
    // `$50.00-$100.00`
    const isWhole = [exact.first, exact.last].every(
      (number) => number !== undefined && /^0*$/.test(number.fraction ?? ''),
    );
    const amount = isWhole
      ? { ...exact, first: { whole: exact.first.whole }, last: { whole: exact.last?.whole ?? '' } }
      : exact;
    const code = attempt(cursor, () => {
      if (written !== '$' && written !== '¥') return undefined;
      take(cursor, space);
      const [letters = ''] = take(cursor, /[A-Z]{3}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy) ?? [];
      return codes.has(letters) ? letters : undefined;
    });
    if (!isBehind && place.language.currencyAgain !== undefined) take(cursor, place.language.currencyAgain);
    return { kind: 'money', amount, currency: code ?? written, per: readPer(cursor) };
  },
);
