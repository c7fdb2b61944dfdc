/** How English is written and spoken. American, where varieties differ. */

import { mapOf } from '../../../table.ts';
import { addresses, socialNames } from '../../classes/addresses.ts';
import { betweenValues } from '../../classes/between-values.ts';
import { capitalWords } from '../../classes/capitals.ts';
import { namedDates, numericDates } from '../../classes/dates.ts';
import { hyphens, identifiers, letterPairs, versions } from '../../classes/identifiers.ts';
import { greekLettersWith, operators, powers } from '../../classes/maths.ts';
import { cardinals, fractionRanges, fractions, itemNumbers, ordinalsWith, ratios } from '../../classes/numbers.ts';
import { quantities } from '../../classes/quantities.ts';
import { romansWith } from '../../classes/romans.ts';
import { telephones } from '../../classes/telephones.ts';
import { times } from '../../classes/times.ts';
import { shortYears, years } from '../../classes/years.ts';
import type { Language, Place } from '../../language.ts';
import { numberOf } from '../../numerals.ts';
import { isBehind, isNext } from '../../place.ts';
import { abbreviations, letters } from './abbreviations.ts';
import { sayAddress } from './addresses.ts';
import { ownAmounts, rates } from './amounts.ts';
import { businessYears, calendarNames, dateDashes, decades, months, weekdays } from './calendar.ts';
import { identifierCue, romanCues, shortIdentifierCue, states, telephoneCue } from './cues.ts';
import { isDetermined, isYear, militaryTimes, monthOf, sayDay, sayTime } from './dates.ts';
import { currencyNamed, notes, perWords, sayCoins } from './money.ts';
import { beforeCapitals, isHouseNumber, namesWithCapitals, numberedNames, ordinalStreets } from './names.ts';
import {
  cardinal,
  count,
  parts,
  sayAmount,
  sayEnglishOrdinal,
  sayEnglishYear,
  sayFraction,
  sayNumeral,
  sayPairs,
  sayPower,
  saySign,
  sayWhole,
  spellCharacters,
  spellEnglish,
  spelling,
} from './numbers.ts';
import { codeNames, operatorWords, signWords } from './signs.ts';
import { article, attributeAt, describedNoun, sayUnit, unitNames } from './units.ts';

/** `75F` is warm, `12F` a seat; `20C` may be one. */
const isNoMeasure = ({ text, start }: Place, end: number): boolean =>
  isHouseNumber(text, start) ||
  (/^\d{1,2}(?:F|C)$/.test(text.slice(start, end)) && !/^(?:[6-9]\d)F$/.test(text.slice(start, end)));

/** Before `1/4` of a mile. */
const beforeOne = /(?<!\p{L})(?:a|an|the|this|each|per|every|another)\s$/iu;

const greekLetters = greekLettersWith(
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega',
);

/** In one class, as most words of a text have no capital. */
const capitalizedNames = beforeCapitals([...calendarNames, ...namesWithCapitals]);

export const english: Language = {
  tag: 'en',
  decimalMark: '.',
  dateOrder: 'mdy',
  shortDateOrder: 'mdy',
  months,
  weekdays,
  magnitudes: mapOf(`
    hundred=hundred|thousand=thousand|lakh=lakh|crore=crore|million=million|billion=billion|trillion=trillion|
    quadrillion=quadrillion|mio=million|mrd=billion|mn=million|mln=million|bn=billion|trn=trillion|tn=trillion
  `),
  moneyMagnitudes: mapOf(`
    k=thousand|K=thousand|m=million|M=million|mm=million|mil=million|mill=million|MM=million|b=billion|B=billion|
    t=trillion|T=trillion|mn=million|mln=million|bn=billion|Bn=billion|BN=billion|tn=trillion
  `),
  currencies: mapOf('p=pence|dollars=$|euros=EUR'),
  units: mapOf(`
    in=inch|ly=light-year|c.=cup|lb-ft=foot-pound|ft-lb=foot-pound|ft-lbs=foot-pound|F=fahrenheit|C=celsius|mo=month|
    pt=point|pts=point
  `),
  isYear,
  isNoMeasure,
  cues: {
    postalCode: states,
    date: /(?<!\p{L})(?:(?:on|until|till|ends|ended|due|dated|starts?|starting|begins|since|before|after|through|thru|from|by|ships|shipping|expires|exp\.?|valid|available|avail\.?|effective|eff\.)\s|(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|nesday|rsday|urday)?\.?,?\s\(?)$/iu,
    score: /(?<!\p{L})(?:odds of|ratio of|ratio is|ratio)\s$/iu,
    name: /(?<!\p{L})(?:(?:code|passcode|password|pin|otp|conference id|meeting id)(?:\sis|:)?|issn|isbn|ssn|ein|vin|serial(?: number)?|tracking(?: number)?|invoice|case(?: number)?|order)\s?(?:is\s|[:#]\s?)?#?$/iu,
    telephone: telephoneCue,
    identifier: identifierCue,
    shortIdentifier: shortIdentifierCue,
  },
  classes: [
    addresses,
    socialNames,
    abbreviations,
    capitalizedNames,
    dateDashes,
    ordinalStreets,
    codeNames,
    ...numberedNames,
    militaryTimes,
    ...ownAmounts,
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
    letterPairs,
    ...quantities,
    rates,
    fractionRanges,
    ordinalsWith(/(?:(?:st|nd|rd|th|ST|ND|RD|TH|ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ|º|ª)(?![\p{L}\d])|(?<=(?<!1)[23])d(?= \p{Lu}\p{Ll}))/uy),
    fractions,
    powers,
    greekLetters,
    operators,
    betweenValues,
    letters,
    businessYears,
    itemNumbers,
    ratios,
    cardinals,
    hyphens,
    capitalWords,
  ],
  spelling,
  sayNumeral,
  sayAmount,
  say: {
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
  },
};
