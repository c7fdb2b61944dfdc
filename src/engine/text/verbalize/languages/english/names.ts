/** Numbers in names of English: roads, houses, models, standards; and the points of the compass beside them. */
import type { SemioticClass } from '../../language.ts';
import { cursorAt, foundAt, isBehind, isNext, take, wordsOf } from '../../place.ts';
import { endsSentence } from '../../sentence-ends.ts';
import { cardinal, sayPair, spellEnglish } from './numbers.ts';

/** Digits in pairs, as names are read: "sixteen hundred", "one oh five", "forty fifty-nine". */
function sayInPairs(digits: string): string {
  if (/^0/.test(digits) || digits.length > 4) return spellEnglish(digits);
  if (digits.length < 3 || /^(?:\d00|\d000)$/.test(digits)) return cardinal(digits);
  const [first, rest] = [digits.slice(0, -2), digits.slice(-2)];
  if (rest === '00') return `${cardinal(first)} hundred`;
  return `${cardinal(first)} ${sayPair(rest)}`;
}

/** The first of several classes that finds something at a capital letter. */
export const beforeCapitals = (classes: readonly SemioticClass[]): SemioticClass => ({
  name: 'name',
  begins: ['letter'],
  isCapital: true,
  find(place) {
    const letter = place.text[place.start] ?? '';
    if (letter < 'A' || letter > 'Z') return undefined;
    for (const { find } of classes) {
      const found = find(place);
      if (found !== undefined) return found;
    }
    return undefined;
  },
});

const points: Readonly<Record<string, string>> = {
  N: 'North',
  S: 'South',
  E: 'East',
  W: 'West',
  NE: 'Northeast',
  NW: 'Northwest',
  SE: 'Southeast',
  SW: 'Southwest',
};
const point = '(N[EW]?|S[EW]?|[EW])';

const road = new RegExp(
  String.raw`((?:I|US|SR|CR|FM)-|(?:Hwy\.?|Highway|Route|Rte\.?|Interstate|State Route) )(\d{1,4})(?: ${point}(?![\p{L}\d'’]))?(?![\p{L}\d]|[.,]\d|-\d)`,
  'uy',
);
const roadNames: Readonly<Record<string, string>> = { Hwy: 'Highway', Rte: 'Route' };

/** `I-95 N`, `US-101`, `Hwy 1` */
export const roads: SemioticClass = {
  name: 'road',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, written = '', digits, side] = take(cursor, road) ?? [];
    if (digits === undefined) return undefined;
    const name = written.replace(/[ .-]{1,2}$/, '');
    return foundAt(
      cursor,
      wordsOf(
        `${roadNames[name] ?? name} ${sayInPairs(digits)}${side === undefined ? '' : ` ${points[side]?.toLowerCase()}`}`,
      ),
    );
  },
};

/** `S 1st st` */
const ordinalStreet = / \d{1,3}(?:st|nd|rd|th) (?:st|street|ave?|avenue|rd|blvd|pl|ln|ct)(?!\p{L})/iuy;

const compass = new RegExp(String.raw`${point}(?![\p{L}\d.'’])`, 'uy');
const distance =
  /(?:\d ?(?:mi|miles?|km|kilometers?|m|ft|feet|yards?|blocks?|mph|kph|km\/h|knots?|kts?)|(?<!\p{L})(?:wind|winds|heading|headed|due|turn|facing))\s$/iu;

/** `35 km NW of town` */
export const compassPoints: SemioticClass = {
  name: 'compass point',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, letters = ''] = take(cursor, compass) ?? [];
    if (letters === '') return undefined;
    if (isNext(place.text, cursor.at, ordinalStreet)) return foundAt(cursor, wordsOf(points[letters] ?? letters));
    return isBehind(place, distance) ? foundAt(cursor, wordsOf(points[letters]?.toLowerCase() ?? letters)) : undefined;
  },
};

const streetNames: Readonly<Record<string, string>> = {
  St: 'Street',
  Ave: 'Avenue',
  Blvd: 'Boulevard',
  Rd: 'Road',
  Dr: 'Drive',
  Ln: 'Lane',
  Ct: 'Court',
  Pl: 'Place',
  Pkwy: 'Parkway',
  Hwy: 'Highway',
  Ter: 'Terrace',
  Cir: 'Circle',
  Sq: 'Square',
  Trl: 'Trail',
};
const short = Object.keys(streetNames).join('|');
const nameOfStreet = String.raw`(?:(?:\p{Lu}[\p{L}'’]{1,18}\.?|\d{1,3}(?:st|nd|rd|th)) ){1,3}`;
const house = new RegExp(
  String.raw`(\d{1,5})(?: ${point}\.?(?= ))?(?= ${nameOfStreet}(?:${short}|${Object.values(streetNames).join('|')}|Way|Loop|Broadway|Row)(?![\p{L}\d]))`,
  'uy',
);

/** `4059 Mt Lee Dr` is no measure. */
export const isHouseNumber = (text: string, at: number): boolean => isNext(text, at, house);

/** `1600 Pennsylvania Ave`, `45 W 34th St` */
export const houseNumbers: SemioticClass = {
  name: 'house number',
  begins: ['digit'],
  counts: (word) => /^[A-Z]/.test(word),
  digitsBefore: ['word', 'digits', 'group'],
  find(place) {
    if (!place.isBorder || /[-–$€£.\d]\s?$/.test(place.before)) return undefined;
    const cursor = cursorAt(place);
    const [, digits = '', side] = take(cursor, house) ?? [];
    if (digits === '') return undefined;
    return foundAt(cursor, wordsOf(`${sayInPairs(digits)}${side === undefined ? '' : ` ${points[side]}`}`));
  },
};

const lowerType = /(st|ave|rd|blvd|ln|pl|ct)(?![\p{L}\d'’-])/uy;
const behindOrdinal = /\d(?:st|nd|rd|th) $/;

/** `34th st` */
export const ordinalStreets: SemioticClass = {
  name: 'street',
  begins: ['letter'],
  beginsWith: (word) => /^(?:st|ave|rd|blvd|ln|pl|ct)$/.test(word),
  find(place) {
    if (!isBehind(place, behindOrdinal)) return undefined;
    const cursor = cursorAt(place);
    const [, type = ''] = take(cursor, lowerType) ?? [];
    const name = streetNames[type.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())];
    return name === undefined ? undefined : foundAt(cursor, wordsOf(name.toLowerCase()));
  },
};

const streetType = new RegExp(String.raw`(${short})(?![\p{L}\d'’-])(\.)?`, 'uy');
const behindHouse = new RegExp(String.raw`\d[A-Z]? (?:${point}\.? )?${nameOfStreet}$`, 'u');
const behindName = /(?<!\p{L})(?:\p{Lu}[\p{L}'’]{2,18}|\d{1,3}(?:st|nd|rd|th)) $/u;
const behindStreet = /(?:[,;)\n]|$| \p{Ll}| (?:Apt|Suite|Ste|Unit|#)\.?(?!\p{L})|\s[NSEW]{1,2}(?!\p{L}))/uy;

/** `34th St, New York` and `Oak Rd` */
export const streetTypes: SemioticClass = {
  name: 'street',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder || !place.before.endsWith(' ')) return undefined;
    const cursor = cursorAt(place);
    const [, type = '', period] = take(cursor, streetType) ?? [];
    if (type === '') return undefined;
    const isAddress = isBehind(place, behindHouse);
    // `Dr.` and `St.` elsewhere are titles too.
    const isStreet = isAddress
      ? period === undefined || !/^(?:St|Dr)$/.test(type) || !isNext(place.text, cursor.at, / \p{Lu}\p{Ll}/uy)
      : period === undefined &&
        /^(?:St|Rd|Ln|Blvd|Pkwy|Hwy)$/.test(type) &&
        isBehind(place, behindName) &&
        isNext(place.text, cursor.at, behindStreet);
    if (!isStreet) return undefined;
    const stop = period !== undefined && endsSentence(place.text, cursor.at, 'any capital') ? '.' : '';
    return foundAt(cursor, wordsOf(`${streetNames[type]}${stop}`));
  },
};

const dotted = /([A-Z]{1,2})\.(\d{2,4})(?![\d\p{L}]|[.,-]\d)/uy;

/** `H.264`, `X.509` */
export const dottedNames: SemioticClass = {
  name: 'dotted name',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder || /[.@/]$/.test(place.before)) return undefined;
    const cursor = cursorAt(place);
    const [, letters, digits] = take(cursor, dotted) ?? [];
    return letters === undefined || digits === undefined
      ? undefined
      : foundAt(cursor, wordsOf(`${letters} ${sayInPairs(digits)}`));
  },
};

const paired = /(\d{3,4})(XT|Ti|[A-Z])?(?![\d\p{L}]|[.,]\d|-\d)/uy;
const pairedBehind =
  /(?<!\p{L})(?:RTX|GTX|RX|Ryzen|Radeon|GeForce|RFC|IEEE|Form|form)\s(?:\d{3,4}(?:XT|Ti|[A-Z])?\/){0,3}$/u;
const airliner = /(7\d7)(?:-(\d{1,3})(?:ER|LR)?)?(?![\d\p{L}]|[.,-]\d)/uy;
const airlinerBehind = /(?<!\p{L})Boeing\s$/u;
const hyphenated = /-(\d{4,12})(?![\d]|[.,-]\d)/y;
const isYear = /^(?:19|20)\d\d$/;

/** `RTX 4090`, `Boeing 737-800`, `i7-9700K`, `ABC-1234` */
export const modelNumbers: SemioticClass = {
  name: 'model',
  begins: ['digit', 'sign'],
  signs: '-',
  find(place) {
    const cursor = cursorAt(place);
    const [, code = ''] = place.text[place.start] === '-' ? (take(cursor, hyphenated) ?? []) : [];
    if (code !== '') {
      if (!/[A-Z]\d?$|(?<!\p{L})i\d$/u.test(place.before) || isYear.test(code)) return undefined;
      return foundAt(
        cursor,
        wordsOf(` ${/(?<!\p{L})i\d$/u.test(place.before) ? sayInPairs(code) : spellEnglish(code)}`),
      );
    }
    if (!place.isBorder) return undefined;
    const [, type, variant] = place.text[place.start] === '7' ? (take(cursor, airliner) ?? []) : [];
    if (type !== undefined && (variant !== undefined || isBehind(place, airlinerBehind)))
      return foundAt(
        cursor,
        wordsOf(
          [type, variant]
            .map((digits) => sayInPairs(digits ?? ''))
            .join(' ')
            .trim(),
        ),
      );
    cursor.at = place.start;
    const [, digits, letters] =
      /[XCEmne] $|.\/$/.test(place.before.slice(-2)) && isBehind(place, pairedBehind)
        ? (take(cursor, paired) ?? [])
        : [];
    if (digits === undefined) return undefined;
    const said = sayInPairs(digits);
    return foundAt(cursor, wordsOf(letters === undefined ? said : `${said} ${letters}`));
  },
};

const halfDays = /(\d{1,2})(?::([0-5]\d))?([ap])(?: ?[-–] ?| to )(\d{1,2})(?::([0-5]\d))?([ap])(?![\p{L}\d])/uy;

/** `9a-12p` */
export const halfDayRanges: SemioticClass = {
  name: 'time',
  begins: ['digit'],
  digitsBefore: ['letter', 'colon'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, hour, minute, half, lastHour, lastMinute, lastHalf] = take(cursor, halfDays) ?? [];
    if (hour === undefined) return undefined;
    const clock = (hours = '', minutes: string | undefined, letter: string | undefined) => ({
      hour: Number(hours),
      minute: minutes === undefined ? undefined : Number(minutes),
      half: letter === 'a' ? ('AM' as const) : ('PM' as const),
    });
    return foundAt(cursor, {
      kind: 'time',
      first: clock(hour, minute, half),
      last: clock(lastHour, lastMinute, lastHalf),
    });
  },
};
