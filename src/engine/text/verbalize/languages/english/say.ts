/** How English says each kind of token. */
import { signsOf, tableOf } from '../../../table.ts';
import { numberRules } from '../../generated/en.ts';
import type { Amount, Clock, CompoundUnit, Numeral, Place, Sayings, Sign, Unit } from '../../language.ts';
import { isOne, numberOf } from '../../numerals.ts';
import { isBehind, isNext } from '../../place.ts';
import { createSpelling } from '../../spell-out.ts';
import { isSaidPart } from '../families.ts';
import { currencyOf } from '../money-words.ts';

export const spelling = createSpelling('en', numberRules);
const { spellOut } = spelling;

const digitNames = 'zero one two three four five six seven eight nine'.split(' ');
/** Longer numbers are hard to follow as one. */
const longestNumber = 15;

/** Digits one by one; other characters are left out. */
export const spellEnglish = (digits: string): string =>
  [...digits.replace(/[^\dX]/g, '')].map((digit) => (digit === 'X' ? 'X' : digitNames[Number(digit)])).join(' ');

/** The same with letters, as in an IBAN. */
const spellCharacters = (written: string): string =>
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
const saySign = (sign: Sign | undefined): string => (sign === undefined ? '' : signWordsOf[sign]);

export const sayAmount = ({ sign, first, last, lastSign, magnitude }: Amount): string => {
  const range = last === undefined ? '' : ` to ${saySign(lastSign)}${sayNumeral(last)}`;
  return `${saySign(sign)}${sayNumeral(first)}${range}${magnitude === undefined ? '' : ` ${magnitude}`}`;
};

const count = (digits: string, one: string, many: string): string =>
  `${sayWhole(digits)} ${digits === '1' ? one : many}`;

const parts = ['half', 'third', 'quarter', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'] as const;
function sayFraction(above: string, below: string): string {
  const part = parts[Number(below) - 2] ?? (isSaidPart(Number(below)) ? sayEnglishOrdinal(below) : undefined);
  if (above === below) return `${sayWhole(above)} out of ${sayWhole(below)}`;
  if (part === undefined || (Number(above) >= Number(below) && below !== '2'))
    return `${sayWhole(above)} over ${sayWhole(below)}`;
  const many = part === 'half' ? 'halves' : `${part}s`;
  return `${sayWhole(above)} ${above === '1' ? part : many}`;
}

function sayPower(exponent: string): string {
  if (exponent === '2') return ' squared';
  if (exponent === '3') return ' cubed';
  if (/^\p{L}$/u.test(exponent)) return ` to the power of ${exponent}`;
  return ` to the power of ${exponent.startsWith('-') ? 'minus ' : ''}${sayWhole(exponent.replace(/\D/g, ''))}`;
}

/** Pairs of digits, as sizes of screens are read: "nineteen twenty". */
function sayPairs(numeral: Numeral): string {
  const { whole, fraction } = numeral;
  if (fraction !== undefined || !/^[1-9]\d{2,3}$/.test(whole)) return sayNumeral(numeral);
  const [first, rest] = [whole.slice(0, -2), whole.slice(-2)];
  if (rest === '00') return sayWhole(whole);
  return /^[1-9]0$/.test(first) && rest.startsWith('0') ? sayWhole(whole) : `${sayWhole(first)} ${sayPair(rest)}`;
}

/** One and many, if they differ. */
const irregular = tableOf(`
  ohm=ohm/ohms|kiloohm=kilohm/kilohms|megaohm=megohm/megohms|foot=foot/feet|inch=inch/inches|kelvin=kelvin/kelvins|
  liter-per-100-kilometer=liter per one hundred kilometers/liters per one hundred kilometers|horsepower=horsepower|lux=lux|
  celsius=degree Celsius/degrees Celsius|fahrenheit=degree Fahrenheit/degrees Fahrenheit|tonne=ton/tons|ton=ton/tons|
  millimeter-ofhg=millimeter of mercury/millimeters of mercury|siemens=siemens|foot-pound=foot-pound/foot-pounds|
  pound-force-per-square-inch=pound per square inch/pounds per square inch|fluid-ounce=fluid ounce/fluid ounces|
  part-per-million=part per million/parts per million|part-per-billion=part per billion/parts per billion|
  arc-minute=minute/minutes|arc-second=second/seconds
`);

type Names = readonly [one: string, many: string];
function englishUnit(id: string): Names {
  const [known, plural = known] = irregular[id]?.split('/') ?? [];
  if (known !== undefined && plural !== undefined) return [known, plural];
  const [of = '', per] = id.split('-per-');
  const one = of.replaceAll('-', ' ');
  const regular = /hertz$/.test(one) ? one : /inch$/.test(one) ? `${one}es` : `${one}s`.replace(/foots$/, 'feet');
  const many = irregular[of]?.split('/').at(-1) ?? regular;
  return per === undefined ? [one, many] : [`${one} per ${per}`, `${many} per ${per}`];
}

function powered([one, many]: Names, { id, power }: Unit): Names {
  if (power === undefined) return [one, many];
  const square = power === 2 ? ['square', 'squared'] : power === 3 ? ['cubic', 'cubed'] : [];
  const [before, behind = `to the power of ${sayWhole(String(Math.abs(power)))}`] = square;
  if (before !== undefined && /meter|foot|inch|mile|yard/.test(id)) return [`${before} ${one}`, `${before} ${many}`];
  return [`${one} ${behind}`, `${many} ${behind}`];
}

export const unitNames = ({ of, per }: CompoundUnit): Names => {
  const [one, many] = powered(englishUnit(of.id), of);
  if (per === undefined) return [one, many];
  const [below] = powered(englishUnit(per.id), per);
  return [`${one} per ${below}`, `${many} per ${below}`];
};

const sayUnit = (amount: Amount, unit: CompoundUnit, use?: 'attribute'): string => {
  // Rates of interest change by basis points; nothing sends so few bits.
  const isRate = unit.of.id === 'bit-per-second' && numberOf(amount.last ?? amount.first) < 1000;
  const [one, many] = isRate ? ['basis point', 'basis points'] : unitNames(unit);
  return `${sayAmount(amount)} ${use === 'attribute' || isOne(amount) ? one : many}`;
};

const article = /(?<!\p{L})(?:an?|the|this|that|his|her|our|their|my|your|another|every|one)\s$/iu;
const describedNoun =
  /\s(?!(?:and|or|but|in|on|at|to|by|with|from|for|tall|high|wide|long|deep|is|was|as|than|x)(?!\p{L}))\p{Ll}/uy;
/** `a 5 km run`, whose unit is singular. */
const attributeAt = ({ text, before }: Place, end: number): 'attribute' | undefined =>
  /(?<!\p{L})an?\s(?:\d{1,3}-\p{Ll}{2,9},?\s)?$/iu.test(before) && isNext(text, end, /\s\p{Ll}/uy)
    ? 'attribute'
    : undefined;

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
function currencyNamed(code: string): Currency {
  const named = currencies[code]?.split('/') ?? [];
  const [one = currencyOf('en', code, 1), many = currencyOf('en', code, 2), cent, cents] = named;
  return { one, many, cents: cent === undefined || cents === undefined ? undefined : [cent, cents] };
}

function sayCoins(amount: Amount, currency: Currency): string {
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
const notes = /\s(?:bills?|notes?|coins?|banknotes?|tickets?|vouchers?|gift cards?)(?!\p{L})/uy;

const perWords = tableOf(`
  mo=month|yr=year|hr=hour|h=hour|wk=week|lb=pound|kg=kilogram|g=gram|oz=ounce|gal=gallon|l=liter|L=liter|ft=foot|m=meter|
  km=kilometer|mi=mile|min=minute|s=second|sec=second|kWh=kilowatt hour|MWh=megawatt hour|GB=gigabyte|MB=megabyte|ea=each|
  pc=piece|t=ton|sqft=square foot|d=day|bbl=barrel
`);

const addressSigns = signsOf(`
  . dot|/ slash|@ at|- dash|_ underscore|: colon|? question mark|= equals|& and|# hash|% percent|+ plus|~ tilde
`);
const sayDigitsInAddress = (digits: string): string =>
  /^(?:19|20)\d\d$/.test(digits)
    ? sayEnglishYear(digits)
    : digits.length > 3 || /^0\d/.test(digits)
      ? spellEnglish(digits)
      : cardinal(digits);

/** `example.com/a` to "example dot com slash a". */
export function sayAddress(text: string): string {
  const written = text.replace(/^(?:https?|ftp|file):\/\//iu, '').replace(/\/$/, '');
  if (/^[@#]/.test(written)) {
    const words = written
      .slice(1)
      .replace(/(\p{Ll})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$2 ')
      .replaceAll('_', ' ')
      .replace(/\d{1,40}/g, (digits) => ` ${sayDigitsInAddress(digits)} `);
    return `${written.startsWith('@') ? 'at' : 'hashtag'} ${words.replace(/ {2,}/g, ' ').trim()}`;
  }
  return (
    written
      .replace(/[./@\-_:?=&#%+~]/g, (sign) => ` ${addressSigns[sign]} `)
      // Digits at a name are rarely an amount.
      .replace(
        /(?<=\p{L})\d{2,40}|\d{2,40}(?=\p{L})/gu,
        (digits) => ` ${/^(?:19|20)\d\d$/.test(digits) ? sayEnglishYear(digits) : spellEnglish(digits)} `,
      )
      .replace(/\d{1,40}/g, (digits) => ` ${sayDigitsInAddress(digits)} `)
      .replace(/ {2,}/g, ' ')
      .trim()
  );
}

export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
);
const sayDay = (day: number): string => sayEnglishOrdinal(String(day));
const monthOf = (month: number | undefined): string => monthNames[(month ?? 1) - 1] ?? '';
/** The determiner is there already in `on the 4th of July`. */
const isDetermined = /(?<!\p{L})(?:the|this|that|his|her|our|their|my|your|every|each)\s$/iu;

/** "nine oh five", "ten o'clock" before nothing else. */
function sayClock({ hour, minute, second, half }: Clock, alone: 'alone' | 'before another'): string {
  const words = [cardinal(String(hour))];
  if (minute !== undefined && minute !== 0)
    words.push(minute < 10 ? `oh ${cardinal(String(minute))}` : cardinal(String(minute)));
  if (second !== undefined && second !== 0) words.push(`and ${count(String(second), 'second', 'seconds')}`);
  if (half !== undefined) words.push(half);
  else if (words.length === 1 && alone === 'alone') words.push("o'clock");
  return words.join(' ');
}

const sayTime: Sayings['time'] = ({ first, last, zone }) => {
  const named =
    zone === undefined
      ? ''
      : ` ${zone
          .replace(/\./g, '')
          .toUpperCase()
          .replace(/\d+/g, (digits) => ` ${sayWhole(String(Number(digits)))}`)
          .replace('+', ' plus')
          .replace('-', ' minus')}`;
  if (last === undefined) {
    const isMidnight = first.hour === 0 && !first.minute && !first.second && first.half === undefined;
    return (isMidnight ? 'midnight' : sayClock(first, 'alone')) + named;
  }
  // "nine to seventeen o'clock", "eight thirty to ten o'clock"
  const isAlike = first.minute === undefined || first.minute === 0;
  return `${sayClock(first, isAlike || first.half !== undefined ? 'before another' : 'alone')} to ${sayClock(last, 'alone')}${named}`;
};

const operatorWords = signsOf(`
  + plus|- minus|− minus|= equals|== equals|× times|* times|· times|⋅ times|÷ divided by|< less than|> greater than|
  ≈ approximately|~= approximately|≠ is not equal to|!= is not equal to|≥ greater than or equal to|
  >= greater than or equal to|≤ less than or equal to|<= less than or equal to|± plus or minus|√ the square root of|
  ∛ the cube root of|∞ infinity|∑ the sum of|∏ the product of|∫ the integral of|≡ is equivalent to|
  ∝ is proportional to|∈ is in|∉ is not in|∪ union|∩ intersection|⊂ is a subset of|⊃ is a superset of|∀ for all|
  ∃ there exists|∴ therefore|∂ partial|∇ nabla|≪ much less than|≫ much greater than
`);

export const century = /(?:th)?\s(?:century|centuries|dynasty)(?!\p{L})/uy;

/** Before `1/4` of a mile. */
const beforeOne = /(?<!\p{L})(?:a|an|the|this|each|per|every|another)\s$/iu;

export const say: Sayings = {
  cardinal: ({ amount }) => sayAmount(amount),
  ordinal: ({ first, last }) => [first, ...(last === undefined ? [] : [last])].map(sayEnglishOrdinal).join(' to '),
  fraction({ sign, whole, above, below, unit }, place) {
    const [one, many] = unit === undefined ? ['', ''] : unitNames(unit);
    // `120/80 mmHg`
    const name = Number(above) > Number(below) && one !== 'percent' ? many : one;
    if (whole === undefined) {
      const said = `${saySign(sign)}${sayFraction(above, below)} ${name}`.trimEnd();
      return above === '1' && isBehind(place, beforeOne) ? said.replace(/^one /, '') : said;
    }
    const part = above === '1' && /^[234]$/.test(below) ? `a ${parts[Number(below) - 2]}` : sayFraction(above, below);
    return `${saySign(sign)}${sayWhole(whole)} and ${part} ${one === 'percent' ? one : many}`.trimEnd();
  },
  percent: ({ amount, mark }) => `${sayAmount(amount)} per${mark === '‰' ? ' mille' : 'cent'}`,
  money({ amount, currency, per }, place, end) {
    const { one, many, cents } = currencyNamed(currency);
    const isAttribute = attributeAt(place, end) !== undefined || isNext(place.text, end, notes);
    const rates = per
      ?.split('/')
      .map((unit) => (/^(?:ea|each)$/.test(unit) ? 'each' : `per ${perWords[unit] ?? unit}`));
    return [sayCoins(amount, { one, many: isAttribute ? one : many, cents }), ...(rates ?? [])].join(' ');
  },
  measure: ({ amount, unit, use }, place, end) => sayUnit(amount, unit, use ?? attributeAt(place, end)),
  measures: ({ parts: written, rest }, place, end) => {
    // `a 5'10" man`
    const use =
      isBehind(place, article) && isNext(place.text, end, describedNoun) ? 'attribute' : attributeAt(place, end);
    const [[feet] = [], [inches] = []] = written;
    if (use === 'attribute' && written[1]?.[1] === 'inch' && feet !== undefined && inches !== undefined)
      return `${sayNumeral(feet)} foot ${sayNumeral(inches)}`;
    const sides: Readonly<Record<string, string>> = { N: ' north', S: ' south', E: ' east', W: ' west' };
    return (
      written.map(([number, unit]) => sayUnit({ first: number }, { of: { id: unit } }, use)).join(' ') +
      (sides[rest ?? ''] ?? '')
    );
  },
  date({ weekday, year, month, day, lastDay, lastMonth, order }, { before }) {
    const start = weekday === undefined ? '' : `${weekday}, `;
    const years = year === undefined ? '' : sayEnglishYear(year);
    if (day === undefined)
      return `${start}${monthOf(month)}${lastMonth === undefined ? '' : ` to ${monthOf(lastMonth)}`} ${years}`.trimEnd();
    if (order === 'day first') {
      const ofFirst = lastMonth === undefined ? '' : ` of ${monthOf(month)}`;
      const range = lastDay === undefined ? '' : `${ofFirst} to ${ofFirst && 'the '}${sayDay(lastDay)}`;
      const the = weekday === undefined && isDetermined.test(before) ? '' : 'the ';
      return `${start}${the}${sayDay(day)}${range} of ${monthOf(lastMonth ?? month)}${years === '' ? '' : `, ${years}`}`;
    }
    const range =
      lastDay === undefined ? '' : ` to ${lastMonth === undefined ? '' : `${monthOf(lastMonth)} `}${sayDay(lastDay)}`;
    return `${start}${monthOf(month)} ${sayDay(day)}${range}${years === '' ? '' : `, ${years}`}`;
  },
  year({ first, last, era, eraPlace }) {
    const span = last === undefined ? sayEnglishYear(first) : `${sayEnglishYear(first)} to ${sayEnglishYear(last)}`;
    return era === undefined ? span : eraPlace === 'before' ? `${era} ${span}` : `${span} ${era}`;
  },
  time: sayTime,
  duration: ({ parts: written }) =>
    written
      .filter(([number]) => number !== '0')
      .map(([number, unit]) => count(number, unit, `${unit}s`))
      .join(' '),
  matchMinute({ minute, added }, { text }, end) {
    const isNamed = isNext(text, end, /\sminute/y);
    if (added === undefined) return `${sayEnglishOrdinal(minute)}${isNamed ? '' : ' minute'}`;
    return `${sayWhole(minute)} plus ${isNamed ? sayWhole(added) : count(added, 'minute', 'minutes')}`;
  },
  telephone: ({ groups }) => groups.map(spellEnglish).join(', '),
  digits: ({ groups }) => groups.map(spellCharacters).join(', '),
  roman({ value, form }, { text, before }, end) {
    if (form === 'year') return sayEnglishYear(String(value));
    if (form === 'cardinal') return cardinal(String(value));
    const isCentury = isNext(text, end, century) || /(?<!\p{L})the\s$/u.test(before);
    return `${isCentury ? '' : 'the '}${sayEnglishOrdinal(String(value))}`;
  },
  ratio: ({ numbers, of }) => {
    const [minutes, seconds] = numbers;
    // `39:05` and `1:27.097` are times of races.
    const isTime =
      numbers.length === 2 &&
      seconds?.whole.length === 2 &&
      (/^0/.test(seconds.whole) || seconds.fraction !== undefined);
    if (!isTime || minutes === undefined) return numbers.map(sayNumeral).join(of === 'rating' ? ' out of ' : ' to ');
    if (seconds.whole === '00' && seconds.fraction === undefined) return count(minutes.whole, 'minute', 'minutes');
    const whole = seconds.whole.replace(/^0/, '');
    return `${sayNumeral(minutes)} ${whole === seconds.whole ? '' : 'oh '}${sayNumeral({ ...seconds, whole })}`;
  },
  dimensions({ numbers, unit, use }) {
    if (use === 'product') return numbers.map(sayNumeral).join(' times ');
    const isScreen = (unit === undefined || unit.of.id === 'pixel') && numberOf(numbers[0] ?? { whole: '0' }) >= 320;
    const said = numbers.map(isScreen ? sayPairs : sayNumeral).join(' by ');
    return unit === undefined ? said : `${said} ${unitNames(unit)[1]}`;
  },
  multiplier: ({ amount }) => `${sayAmount(amount)} times`,
  operator({ sign }, { text, before }, end) {
    if (sign === 'or' || sign === 'per') return ` ${sign} `;
    if (sign === 'to' || sign === '->') return /\s$/.test(before) ? 'to ' : ' to ';
    const isCompared = sign === '≈' && /[\p{L}\p{N})%°] ?$/u.test(before);
    const words = isCompared ? 'is approximately equal to' : operatorWords[sign];
    if (words === undefined) return undefined;
    return `${before === '' || /\s$/.test(before) ? '' : ' '}${words}${end < text.length ? ' ' : ''}`;
  },
  power: ({ exponent, unit }) => sayPower(exponent) + (unit === undefined ? '' : ` ${unitNames(unit)[1]}`),
  version({ parts: written, named, port, mask, release = [] }, { before }) {
    const said = [
      named && !/version\s$/i.test(before) ? 'version' : '',
      written.map(sayWhole).join(' point '),
      port === undefined ? '' : `port ${sayWhole(port)}`,
      mask === undefined ? '' : `slash ${sayWhole(mask)}`,
      ...release.map((part) => (/\d/.test(part) ? sayWhole(part) : part)),
    ];
    return said.filter((word) => word !== '').join(' ');
  },
  // A phoneme continues with the address.
  address: ({ text }, place, end) =>
    place.text[end] === '\ue000' && text.endsWith('/') ? `${sayAddress(text)} slash ` : sayAddress(text),
  code({ number }) {
    if (number.fraction !== undefined || number.whole.length <= 3) return sayNumeral(number);
    return /^(?:19|20)\d\d$/.test(number.whole) ? sayEnglishYear(number.whole) : spellEnglish(number.whole);
  },
  words: ({ spoken }) => spoken,
};
