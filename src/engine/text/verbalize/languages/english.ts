/** How English is written and spoken. American, where varieties differ. */
import { addresses, socialNames } from '../classes/addresses.ts';
import { capitalWords } from '../classes/capitals.ts';
import { decades, namedDates, numericDates, shortYears, years } from '../classes/dates.ts';
import { hyphens, identifiers, versions } from '../classes/identifiers.ts';
import { greekLettersWith, operators, powers } from '../classes/maths.ts';
import { cardinals, fractionRanges, fractions, ordinalsWith, ratios } from '../classes/numbers.ts';
import { quantities } from '../classes/quantities.ts';
import { type RomanCues, romansWith } from '../classes/romans.ts';
import { telephones } from '../classes/telephones.ts';
import { times } from '../classes/times.ts';
import type { Language, Place, Sayings } from '../language.ts';
import { isOne, numberOf } from '../numerals.ts';
import { isBehind, isNext } from '../place.ts';
import type { Amount, Clock, CompoundUnit, Numeral, Sign, Unit } from '../semiotic.ts';
import { spellOut } from '../spell-out.ts';
import {
  beforeCapitals,
  compassPoints,
  dottedNames,
  halfDayRanges,
  houseNumbers,
  isHouseNumber,
  modelNumbers,
  roads,
  streetTypes,
} from './english-names.ts';
import {
  abbreviatedCounts,
  abbreviations,
  businessYears,
  codeNames,
  dateDashes,
  letters,
  monthNames,
  months,
  pluralNumbers,
  quarterRanges,
  rates,
  scientificNumbers,
  signWords,
  verses,
  weekdayNames,
  weekdayRanges,
  weekdays,
} from './english-words.ts';

const digitNames = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const;
/** Longer numbers are hard to follow as one. */
const longestNumber = 15;

/** Digits one by one; other characters are left out. */
export const spellEnglish = (digits: string): string =>
  [...digits.replace(/[^\dX]/g, '')].map((digit) => (digit === 'X' ? 'X' : digitNames[Number(digit)])).join(' ');

/** The same with letters, as in an IBAN. */
const spellCharacters = (written: string): string =>
  [...written].map((character) => digitNames[Number(character)] ?? character).join(' ');

const cardinal = (digits: string): string =>
  digits.length > longestNumber ? spellEnglish(digits) : spellOut('en', 'cardinal', Number(digits));

/** `007` is no amount. */
const sayWhole = (digits: string): string => (/^0\d/.test(digits) ? spellEnglish(digits) : cardinal(digits));

const sayNumeral = ({ whole, fraction }: Numeral): string => {
  const words = whole === '' ? '' : sayWhole(whole);
  return fraction === undefined ? words : `${words} point ${spellEnglish(fraction)}`.trimStart();
};

export const sayEnglish = (text: string): string => {
  const [whole = '', fraction] = text.replaceAll(',', '').split('.');
  return sayNumeral({ whole: whole === '' ? '0' : whole, fraction });
};

export const sayEnglishOrdinal = (digits: string): string =>
  digits.length > longestNumber || /^0/.test(digits) ? spellEnglish(digits) : spellOut('en', 'ordinal', Number(digits));

/** "nineteen oh five", "two thousand six", "twenty twenty-six", "six eighty", "forty-four". */
export function sayEnglishYear(digits: string): string {
  const number = Number(digits);
  if (digits.length === 2) return digits.startsWith('0') ? `oh ${cardinal(digits.slice(1))}` : cardinal(digits);
  const [century, rest] = [Math.floor(number / 100), number % 100];
  if (digits.length < 3 || number < 100) return cardinal(String(number));
  if (century % 10 === 0 && rest < 10) return cardinal(String(number));
  if (rest === 0) return `${cardinal(String(century))} hundred`;
  return `${cardinal(String(century))} ${rest < 10 ? 'oh ' : ''}${cardinal(String(rest))}`;
}

const signWordsOf: Readonly<Record<Sign, string>> = {
  '-': 'minus ',
  '+': 'plus ',
  '±': 'plus or minus ',
  '~': 'about ',
};
const saySign = (sign: Sign | undefined): string => (sign === undefined ? '' : signWordsOf[sign]);

const sayAmount = ({ sign, first, last, lastSign, magnitude }: Amount): string => {
  const range = last === undefined ? '' : ` to ${saySign(lastSign)}${sayNumeral(last)}`;
  return `${saySign(sign)}${sayNumeral(first)}${range}${magnitude === undefined ? '' : ` ${magnitude}`}`;
};

const irregular: Readonly<Record<string, readonly [one: string, many: string]>> = {
  ohm: ['ohm', 'ohms'],
  kiloohm: ['kilohm', 'kilohms'],
  megaohm: ['megohm', 'megohms'],
  'liter-per-100-kilometer': ['liter per one hundred kilometers', 'liters per one hundred kilometers'],
  foot: ['foot', 'feet'],
  inch: ['inch', 'inches'],
  hertz: ['hertz', 'hertz'],
  kilohertz: ['kilohertz', 'kilohertz'],
  celsius: ['degree Celsius', 'degrees Celsius'],
  fahrenheit: ['degree Fahrenheit', 'degrees Fahrenheit'],
  kelvin: ['kelvin', 'kelvins'],
  horsepower: ['horsepower', 'horsepower'],
  lux: ['lux', 'lux'],
  tonne: ['ton', 'tons'],
  ton: ['ton', 'tons'],
  'millimeter-ofhg': ['millimeter of mercury', 'millimeters of mercury'],
  'pound-force-per-square-inch': ['pound per square inch', 'pounds per square inch'],
  siemens: ['siemens', 'siemens'],
  'part-per-million': ['part per million', 'parts per million'],
  'part-per-billion': ['part per billion', 'parts per billion'],
  'arc-minute': ['minute', 'minutes'],
  'arc-second': ['second', 'seconds'],
  'fluid-ounce': ['fluid ounce', 'fluid ounces'],
  'foot-pound': ['foot-pound', 'foot-pounds'],
};
const invariable = /hertz$/;

function englishUnit(id: string): readonly [one: string, many: string] {
  const known = irregular[id];
  if (known !== undefined) return known;
  const [of = '', per] = id.split('-per-');
  const words = of.replaceAll('-', ' ');
  const many = invariable.test(words)
    ? words
    : (irregular[of]?.[1] ??
      (/foot$/.test(words) ? words.replace(/foot$/, 'feet') : /inch$/.test(words) ? `${words}es` : `${words}s`));
  return per === undefined ? [words, many] : [`${words} per ${per}`, `${many} per ${per}`];
}

function powered([one, many]: readonly [string, string], { id, power }: Unit): readonly [string, string] {
  if (power === undefined) return [one, many];
  const isLength = /meter|foot|inch|mile|yard/.test(id);
  if (isLength && (power === 2 || power === 3)) {
    const name = power === 2 ? 'square' : 'cubic';
    return [`${name} ${one}`, `${name} ${many}`];
  }
  const behind =
    power === 2 ? 'squared' : power === 3 ? 'cubed' : `to the power of ${sayWhole(String(Math.abs(power)))}`;
  return [`${one} ${behind}`, `${many} ${behind}`];
}

const unitNames = ({ of, per }: CompoundUnit): readonly [one: string, many: string] => {
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
const currencyOf = (code: string): Currency => currencies[code] ?? { one: nameOf(code, 1), many: nameOf(code, 2) };

const count = (digits: string, one: string, many: string): string =>
  `${sayWhole(digits)} ${digits === '1' ? one : many}`;

function sayCoins(amount: Amount, { one, many, cent: part }: Currency): string {
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
const notes = /\s(?:bills?|notes?|coins?|banknotes?|tickets?|vouchers?|gift cards?)(?!\p{L})/uy;

const perWords: Readonly<Record<string, string>> = {
  mo: 'month',
  yr: 'year',
  hr: 'hour',
  h: 'hour',
  wk: 'week',
  lb: 'pound',
  kg: 'kilogram',
  g: 'gram',
  oz: 'ounce',
  gal: 'gallon',
  l: 'liter',
  L: 'liter',
  ft: 'foot',
  m: 'meter',
  km: 'kilometer',
  mi: 'mile',
  min: 'minute',
  s: 'second',
  sec: 'second',
  kWh: 'kilowatt hour',
  MWh: 'megawatt hour',
  GB: 'gigabyte',
  MB: 'megabyte',
  ea: 'each',
  pc: 'piece',
  t: 'ton',
  sqft: 'square foot',
  d: 'day',
  bbl: 'barrel',
};

const parts = ['half', 'third', 'quarter', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'] as const;
function sayFraction(above: string, below: string): string {
  const part =
    parts[Number(below) - 2] ??
    (below === '16' || below === '32' || below === '64' || below === '100' || below === '1000'
      ? sayEnglishOrdinal(below)
      : undefined);
  if (above === below) return `${sayWhole(above)} out of ${sayWhole(below)}`;
  if (part === undefined || Number(above) >= Number(below)) return `${sayWhole(above)} over ${sayWhole(below)}`;
  const many = part === 'half' ? 'halves' : `${part}s`;
  return `${sayWhole(above)} ${above === '1' ? part : many}`;
}

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

const tens = 'hundreds tens twenties thirties forties fifties sixties seventies eighties nineties'.split(' ');

function sayDecade([century, ten]: readonly [century: string, ten: string]): string {
  if (century === '') return tens[Number(ten)] ?? '';
  if (ten === '0' && Number(century) % 10 === 0) return `${cardinal(century.slice(0, 1))} thousands`;
  return `${cardinal(century)} ${tens[Number(ten)]}`;
}

const operatorWords: Readonly<Record<string, string>> = {
  '+': 'plus',
  '-': 'minus',
  '−': 'minus',
  '=': 'equals',
  '==': 'equals',
  '×': 'times',
  '*': 'times',
  '·': 'times',
  '⋅': 'times',
  '÷': 'divided by',
  '<': 'less than',
  '>': 'greater than',
  '≈': 'approximately',
  '~=': 'approximately',
  '≠': 'is not equal to',
  '!=': 'is not equal to',
  '≥': 'greater than or equal to',
  '>=': 'greater than or equal to',
  '≤': 'less than or equal to',
  '<=': 'less than or equal to',
  '±': 'plus or minus',
  '√': 'the square root of',
  '∛': 'the cube root of',
  '∞': 'infinity',
  '∑': 'the sum of',
  '∏': 'the product of',
  '∫': 'the integral of',
  '≡': 'is equivalent to',
  '∝': 'is proportional to',
  '∈': 'is in',
  '∉': 'is not in',
  '∪': 'union',
  '∩': 'intersection',
  '⊂': 'is a subset of',
  '⊃': 'is a superset of',
  '∀': 'for all',
  '∃': 'there exists',
  '∴': 'therefore',
  '∂': 'partial',
  '∇': 'nabla',
  '≪': 'much less than',
  '≫': 'much greater than',
};

function sayPower(exponent: string): string {
  if (exponent === '2') return ' squared';
  if (exponent === '3') return ' cubed';
  if (/^\p{L}$/u.test(exponent)) return ` to the power of ${exponent}`;
  return ` to the power of ${exponent.startsWith('-') ? 'minus ' : ''}${sayWhole(exponent.replace(/\D/g, ''))}`;
}

const addressSigns: Readonly<Record<string, string>> = {
  '.': 'dot',
  '/': 'slash',
  '@': 'at',
  '-': 'dash',
  _: 'underscore',
  ':': 'colon',
  '?': 'question mark',
  '=': 'equals',
  '&': 'and',
  '#': 'hash',
  '%': 'percent',
  '+': 'plus',
  '~': 'tilde',
};
const sayDigitsInAddress = (digits: string): string =>
  /^(?:19|20)\d\d$/.test(digits)
    ? sayEnglishYear(digits)
    : digits.length > 3 || /^0\d/.test(digits)
      ? spellEnglish(digits)
      : cardinal(digits);

/** `example.com/a` to "example dot com slash a". */
export function sayAddress(text: string): string {
  const written = text.replace(/^(?:https?|ftp):\/\//iu, '').replace(/\/$/, '');
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

const sayVersionPart = (part: string): string => sayWhole(part);

/** Pairs of digits, as sizes of screens are read: "nineteen twenty". */
function sayPairs(numeral: Numeral): string {
  const { whole, fraction } = numeral;
  if (fraction !== undefined || !/^[1-9]\d{2,3}$/.test(whole)) return sayNumeral(numeral);
  const [first, rest] = [whole.slice(0, -2), whole.slice(-2)];
  if (rest === '00') return sayWhole(whole);
  return /^[1-9]0$/.test(first) && rest.startsWith('0')
    ? sayWhole(whole)
    : `${sayWhole(first)} ${rest.startsWith('0') ? `oh ${sayWhole(rest.slice(1))}` : sayWhole(rest)}`;
}

/** Words before a year rather than an amount, and words that show an amount. */
const yearWord =
  /(?<!\p{L})(?:in|since|until|till|during|circa|year|years|early|late|mid|spring|summer|autumn|fall|winter|of|by|from|to|and|before|after|around|between|season|election|class|©|copyright|january|february|march|april|may|june|july|august|september|october|november|december)[\s-]$/iu;
const strongYearWord =
  /(?<!\p{L})(?:in|since|until|during|circa|year|early|late|mid|spring|summer|autumn|winter|©|copyright)[\s-]$/iu;
const amountWord =
  /(?<!\p{L})(?:about|over|under|than|nearly|almost|approximately|some|only|up to|least|most|exactly|roughly|cost|costs|worth|pay|paid|all|another|these|those|number|level|score|scored|of the|pages?|lines?|step|equals|is|are|=|×|÷|\+)\s$/iu;
const determiner = /(?<!\p{L})(?:the|a|an|his|her|its|their|our|my|your|this|that|every)\s$/iu;
/** A counted noun: a plural in lower case that is none of the small words in -s. */
const plural =
  /\s(?!(?:is|was|has|as|its|this|us|his|thus|plus|minus|always|perhaps|does|yes|ours|hers|theirs|sometimes|besides|across|versus|unless|towards|afterwards|news)(?!\p{L}))(?:\p{Ll}{2,20}(?<!s|u)s|people|men|women|children|feet|fish|sheep|percent|more|or (?:more|less|fewer)|yen|yuan|won|baht|million|billion|thousand|hundred|head|mice|staff|cattle)(?!\p{L})/uy;

const events =
  /\s(?:elections|games|finals|championships|results|sales|figures|levels|prices|estimates|rules|regulations|floods|riots|protests|talks|reforms|models|playoffs|fires|attacks|riots|sessions|updates|editions)(?!\p{L})/uy;
/** Whether four digits are a year. Most are, unless things are counted. */
function isYear(place: Place, end: number, digits: string): boolean | undefined {
  const number = Number(digits);
  if (/^0/.test(digits) || number < 1000 || number > 2999) return false;
  const { text, before } = place;
  if (
    /\p{Sc}\s?$|[-+=×÷*/^<>≥≤±#]\s?$/u.test(before) &&
    !/(?<!\p{L})(?:mid|pre|post|early|late|\p{L}{3,})-$/iu.test(before)
  )
    return false;
  if (isNext(text, end, /\s?[%°=+×÷*]|\s?[x×]\s?\d/y)) return false;
  const isCounted = isNext(text, end, plural);
  if (isCounted) {
    // `the 1998 elections` and `the 1500 soldiers`
    const isRecent = number >= 1900 && number <= 2099;
    return (
      isRecent &&
      (determiner.test(before) || isNext(text, end, events)) &&
      !isNext(
        text,
        end,
        /\s(?:people|men|women|children|dollars|euros|pounds|miles|feet|meters|kilometers|calories|words|pages|books|units|points|soldiers|troops|users|employees|or|more)(?!\p{L})/uy,
      )
    );
  }
  if (strongYearWord.test(before)) return true;
  if (amountWord.test(before)) return false;
  if (number < 1100 || number > 2099)
    return yearWord.test(before) && isNext(text, end, /[,.;:!?)]|\s*$/y) && strongYearWord.test(before);
  return true;
}

/** `75F` is warm, `12F` a seat; `20C` may be one. */
const isNoMeasure = ({ text, start }: Place, end: number): boolean =>
  isHouseNumber(text, start) ||
  (/^\d{1,2}(?:F|C)$/.test(text.slice(start, end)) && !/^(?:[6-9]\d)F$/.test(text.slice(start, end)));

const royals =
  'Henry|Louis|Charles|Elizabeth|George|Edward|William|James|John|Paul|Pius|Benedict|Leo|Francis|Philip|Catherine|Peter|Nicholas|Alexander|Frederick|Ferdinand|Ramesses|Ramses|Napoleon|Wilhelm|Friedrich|Gustav|Olav|Haakon|Harald|Christian|Carlos|Felipe|Juan|Mary|Richard|Robert|Alfonso|Umberto|Emmanuel|Ivan|Otto|Leopold|Albert|Carl|Karl|Franz|Constantine|Cleopatra|Ptolemy|Darius|Xerxes|Artaxerxes|Thutmose|Amenhotep|Seti|Sixtus|Gregory|Innocent|Clement|Urban|Julius|Boniface|Celestine|Stephen|Baldwin|Rama|Mehmed|Murad|Selim|Ahmed|Abdul|Hassan|Mohammed|Margrethe|Beatrix|Isabella|Joseph|Rudolf|Maximilian|Sigismund|Casimir|Stanislaus|Bela|Ladislaus|Matthias|Michael|Boris|Simeon|Vladimir|Yaroslav|Basil|Justinian|Theodosius|Valentinian|Tiberius|Antiochus|Seleucus|Nebuchadnezzar|Cyrus|Shapur|Khosrow|Suleiman|Bayezid|Osman|Kamehameha|Pedro|Manuel|Afonso|Sancho|Kenneth|Duncan|Eric|Erik|Magnus|Sverre|Canute|Valdemar|Alexios|Faisal|Abdullah|Hussein|Farouk|Fuad|Jigme|Norodom|Elisabeth|Frederik|Willem|Ludwig|Heinrich|Hadrian|Adrian|Callixtus|Eugene|Honorius|Martin|Victor|Pope|King|Queen';
const titleNames =
  'King|Queen|Pope|Emperor|Empress|Tsar|Czar|Kaiser|Prince|Princess|Sultan|Pharaoh|Duke|Archduke|Sir|Lord|Saint|Shah|Patriarch';
const counted =
  'chapter|part|volume|vol\\.|book|act|scene|section|article|appendix|phase|stage|war|super bowl|bowl|wrestlemania|rocky|final fantasy|mark|mk|title|unit|episode|season|game|round|tier|category|figure|fig\\.|table|kapitel|teil|band|apollo|saturn|vatican|type|class|grade|level|lesson|exhibit|canto|sonata|symphony|movement|op\\.|psalm|amendment|generation|schedule|corps|olympiad|zone|group|factor|division|step|pentium|windows|gemini|soyuz|module|rome|page|rule|form|nerve|quadrant|region|annex|protocol|clause|paragraph|series|variation|nocturne|prelude|etude|document|plate|note|trial|wave|day|week|iteration|version|model|tome|livre|chapitre|cap[ií]tulo|capitolo';
const romanCues: RomanCues = {
  counted: new RegExp(
    String.raw`(?<![\p{L}\p{M}])(?:${counted})s?\s$|(?:${counted})s\s[IVX]{1,6}\s(?:and|to|or|&)\s$`,
    'iu',
  ),
  countedLetter:
    /(?<![\p{L}\p{M}])(?:CHAPTER|Chapter|chapter|Act|ACT|act|Scene|SCENE|War|WAR|Volume|VOLUME|Phase|Stage|Apollo|Saturn|Kapitel|Appendix|Lesson|Canto|Exhibit|Tier|Category|Type|Class|Level|Grade|Bowl|Article|Section|SECTION|Part|PART|Book|BOOK|Episode|Round|Title|Amendment|Symphony|Unit|Division|Mark|Mk|Vatican|Schedule|Generation|Annex|Factor)\s$/u,
  ruler: new RegExp(
    String.raw`(?<![\p{L}\p{M}])(?:${royals})\s(?:the\s|\p{Lu}[\p{L}’']{1,20}\s)?$|(?<![\p{L}\p{M}])(?:${titleNames})(?:\s\p{Lu}[\p{L}’']{1,20}){1,2}\s$`,
    'u',
  ),
  rulerLetter: new RegExp(String.raw`(?<![\p{L}\p{M}])(?:${titleNames})(?:\s\p{Lu}[\p{L}’']{1,20}){1,2}\s$`, 'u'),
  century: /(?:th)?\s(?:century|centuries|dynasty)(?!\p{L})/uy,
};

const telephoneWords =
  'text \\w{2,12} to|call|calls|called|dial|dialed|dialing|phone|phones|telephone|tel|tel\\.|fax|mobile|cell|hotline|text|texted|ring|whatsapp|sms|contact|reach|extension|ext\\.?';
const strongNames =
  'pin|pin code|code|zip|zip code|postcode|postal code|passcode|password|otp|cvv|area code|extension|ext\\.?|flight|locker|combination|digits|ending in|ending with|ends in|ends with|ending|dial code|access code|promo code|verification code|error code|error|bus route';
const weakNames =
  'order|tracking|card|account|acct\\.?|id|ids|number|numbers|no\\.?|nos\\.?|serial|serial number|reference|ref\\.?|case|ticket|invoice|confirmation|booking|reservation|policy|passport|license|licence|ssn|isbn|issn|iban|ean|upc|vin|imei|model|part|routing|member|membership|customer|tax|vat|ein|receipt|case number|shipment|package|parcel|transaction|registration|certificate|voucher|coupon|barcode|sku|item|file|record|badge|employee|student|patient|claim|docket|purchase order|po|p\\.o\\.|box|train';
const between = String.raw`(?:['’]s)?(?:\s(?:number|no\.?|code|id|#))?(?:\s(?:is|was|are|reads|to))?(?:\s?[:#=]{1,2})?\s?(?:number\s|no\.\s)?#?`;

/** A ZIP code follows. */
const states =
  /(?:,|\p{Ll})\s(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])\s$/u;

const greekLetters = greekLettersWith(
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega',
);

/** In one class, as most words of a text have no capital. */
const capitalizedNames = beforeCapitals([
  weekdayRanges,
  weekdayNames,
  quarterRanges,
  roads,
  streetTypes,
  compassPoints,
  dottedNames,
]);

export const english: Language = {
  tag: 'en',
  decimalMark: '.',
  dateOrder: 'mdy',
  months,
  weekdays,
  magnitudes: new Map([
    ...['hundred', 'thousand', 'lakh', 'crore', 'million', 'billion', 'trillion', 'quadrillion'].map(
      (word) => [word, word] as const,
    ),
    ['mio', 'million'],
    ['mrd', 'billion'],
    ['mn', 'million'],
    ['mln', 'million'],
    ['bn', 'billion'],
    ['trn', 'trillion'],
    ['tn', 'trillion'],
  ]),
  moneyMagnitudes: new Map([
    ['k', 'thousand'],
    ['K', 'thousand'],
    ['m', 'million'],
    ['M', 'million'],
    ['mm', 'million'],
    ['MM', 'million'],
    ['b', 'billion'],
    ['B', 'billion'],
    ['t', 'trillion'],
    ['T', 'trillion'],
    ['mn', 'million'],
    ['mln', 'million'],
    ['bn', 'billion'],
    ['Bn', 'billion'],
    ['BN', 'billion'],
    ['tn', 'trillion'],
  ]),
  currencies: new Map([['p', 'pence']]),
  units: new Map([
    ['in', 'inch'],
    ['ly', 'light-year'],
    ['c.', 'cup'],
    ['lb-ft', 'foot-pound'],
    ['ft-lb', 'foot-pound'],
    ['ft-lbs', 'foot-pound'],
    ['F', 'fahrenheit'],
    ['C', 'celsius'],
    ['mo', 'month'],
    ['pt', 'point'],
    ['pts', 'point'],
  ]),
  isYear,
  isNoMeasure,
  cues: {
    postalCode: states,
    date: /(?<!\p{L})(?:(?:on|until|till|ends|ended|due|dated|starts?|starting|begins|since|before|after|through|thru|from|by|ships|shipping|expires|exp\.?|valid|available|avail\.?|effective|eff\.)\s|(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|nesday|rsday|urday)?\.?,?\s\(?)$/iu,
    score: /(?<!\p{L})(?:odds of|ratio of|ratio is|ratio)\s$/iu,
    name: /(?<!\p{L})(?:(?:code|passcode|password|pin|otp|conference id|meeting id)(?:\sis|:)?|issn|isbn|ssn|ein|vin|serial(?: number)?|tracking(?: number)?|invoice|case(?: number)?|order)\s?(?:is\s|[:#]\s?)?#?$/iu,
    decade: /(?<!\p{L})(?:the|early|late|mid|her|his|their|my|our|your|its)[\s-]$/iu,
    telephone: new RegExp(
      String.raw`(?<!\p{L})(?:${telephoneWords})${between}(?:(?:me|us|him|her|them|at|on|to)\s){0,2}$`,
      'iu',
    ),
    identifier: new RegExp(String.raw`(?<!\p{L})(?:${weakNames}|${strongNames})${between}$`, 'iu'),
    shortIdentifier: new RegExp(String.raw`(?<!\p{L})(?:${strongNames})${between}$`, 'iu'),
  },
  classes: [
    addresses,
    socialNames,
    abbreviations,
    capitalizedNames,
    dateDashes,
    codeNames,
    houseNumbers,
    modelNumbers,
    halfDayRanges,
    verses,
    pluralNumbers,
    abbreviatedCounts,
    scientificNumbers,
    signWords,
    romansWith(romanCues),
    namedDates,
    numericDates,
    identifiers,
    times,
    decades,
    years,
    shortYears,
    telephones,
    versions,
    ...quantities,
    rates,
    fractionRanges,
    ordinalsWith(/(?:st|nd|rd|th|ST|ND|RD|TH|ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ|º|ª)(?![\p{L}\d])/uy),
    fractions,
    powers,
    greekLetters,
    operators,
    letters,
    businessYears,
    ratios,
    cardinals,
    hyphens,
    capitalWords,
  ],
  sayNumeral,
  sayAmount,
  sayUnit,
  say: {
    cardinal: ({ amount }) => sayAmount(amount),
    ordinal: ({ first, last }) =>
      [first, last].flatMap((digits) => (digits === undefined ? [] : [sayEnglishOrdinal(digits)])).join(' to '),
    fraction({ sign, whole, above, below, unit }) {
      const [one, many] = unit === undefined ? ['', ''] : unitNames(unit);
      // `120/80 mmHg`
      const name = Number(above) > Number(below) ? many : one;
      if (whole === undefined) return `${saySign(sign)}${sayFraction(above, below)} ${name}`.trimEnd();
      const part = above === '1' && /^[234]$/.test(below) ? `a ${parts[Number(below) - 2]}` : sayFraction(above, below);
      return `${saySign(sign)}${sayWhole(whole)} and ${part} ${many}`.trimEnd();
    },
    percent: ({ amount, mark }) => `${sayAmount(amount)} per${mark === '‰' ? ' mille' : 'cent'}`,
    money({ amount, currency, per }, place, end) {
      const { one, many, ...rest } = currencyOf(currency);
      const isAttribute = attributeAt(place, end) !== undefined || isNext(place.text, end, notes);
      const said = sayCoins(amount, { one, many: isAttribute ? one : many, ...rest });
      return per === undefined
        ? said
        : `${said} ${per === 'ea' || per === 'each' ? 'each' : `per ${perWords[per.replace(/\.$/, '')] ?? per}`}`;
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
        const range = lastDay === undefined ? '' : ` to ${sayDay(lastDay)}`;
        const the = weekday === undefined && isDetermined.test(before) ? '' : 'the ';
        return `${start}${the}${sayDay(day)}${range} of ${monthOf(month)}${years === '' ? '' : `, ${years}`}`;
      }
      const range =
        lastDay === undefined ? '' : ` to ${lastMonth === undefined ? '' : `${monthOf(lastMonth)} `}${sayDay(lastDay)}`;
      return `${start}${monthOf(month)} ${sayDay(day)}${range}${years === '' ? '' : `, ${years}`}`;
    },
    year({ first, last, era, eraPlace }) {
      const span = last === undefined ? sayEnglishYear(first) : `${sayEnglishYear(first)} to ${sayEnglishYear(last)}`;
      return era === undefined ? span : eraPlace === 'before' ? `${era} ${span}` : `${span} ${era}`;
    },
    decade: ({ decades: written }) => written.map(sayDecade).join(' to '),
    time: sayTime,
    duration: ({ parts: written }) =>
      written
        .filter(([number]) => number !== '0')
        .map(([number, unit]) => count(number, unit, `${unit}s`))
        .join(' '),
    telephone: ({ groups }) => groups.map(spellEnglish).join(', '),
    digits: ({ groups }) => groups.map(spellCharacters).join(', '),
    roman({ value, form }, { text, before }, end) {
      if (form === 'year') return sayEnglishYear(String(value));
      if (form === 'cardinal') return cardinal(String(value));
      const isCentury = isNext(text, end, romanCues.century) || /(?<!p{L})the\s$/.test(before);
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
    dimensions: ({ numbers, unit, use }) => {
      if (use === 'product') return numbers.map(sayNumeral).join(' times ');
      const last = numbers.at(-1);
      const said = numbers
        .map((number) =>
          (unit === undefined || unit.of.id === 'pixel') && numberOf(numbers[0] ?? number) >= 320
            ? sayPairs(number)
            : sayNumeral(number),
        )
        .join(' by ');
      return unit === undefined || last === undefined ? said : `${said} ${unitNames(unit)[1]}`;
    },
    multiplier: ({ amount }) => `${sayAmount(amount)} times`,
    operator({ sign }, { text, before }, end) {
      if (sign === 'to') return /\s$/.test(before) ? 'to ' : ' to ';
      const isCompared = sign === '≈' && /[\p{L}\p{N})%°] ?$/u.test(before);
      const words = isCompared ? 'is approximately equal to' : operatorWords[sign];
      if (words === undefined) return undefined;
      return `${before === '' || /\s$/.test(before) ? '' : ' '}${words}${end < text.length ? ' ' : ''}`;
    },
    power: ({ exponent, unit }) => sayPower(exponent) + (unit === undefined ? '' : ` ${unitNames(unit)[1]}`),
    version({ parts: written, named, port, release = [] }, { before }) {
      const said = written.map(sayVersionPart).join(' point ');
      return `${named && !/version\s$/i.test(before) ? 'version ' : ''}${said}${port === undefined ? '' : ` port ${sayWhole(port)}`}${release.map((part) => (part === '' ? '' : ` ${/\d/.test(part) ? sayWhole(part) : part}`)).join('')}`;
    },
    // A phoneme goes on with the address.
    address: ({ text }, place, end) =>
      place.text[end] === '\ue000' && text.endsWith('/') ? `${sayAddress(text)} slash ` : sayAddress(text),
    code: ({ number }) =>
      number.fraction === undefined && number.whole.length > 3 && !/^(?:19|20)\d\d$/.test(number.whole)
        ? spellEnglish(number.whole)
        : number.fraction === undefined && /^(?:19|20)\d\d$/.test(number.whole)
          ? sayEnglishYear(number.whole)
          : sayNumeral(number),
    words: ({ spoken }) => spoken,
  },
};
