/** Numbers in names of English: roads, houses, models, standards; and the points of the compass beside them. */
import { pattern } from '../../../pattern.ts';
import { tableOf } from '../../../table.ts';
import type { SemioticClass } from '../../language.ts';
import { cursorAt, endsSentence, isBehind, isNext, patternClass, take, tokenClass } from '../../place.ts';
import { cardinal, sayHundreds, spellEnglish } from './say.ts';

/** Digits in pairs, as names are read: "sixteen hundred", "one oh five", "forty fifty-nine". */
function sayInPairs(digits: string): string {
  if (/^0/.test(digits) || digits.length > 4) return spellEnglish(digits);
  if (digits.length < 3 || /^(?:\d00|\d000)$/.test(digits)) return cardinal(digits);
  return sayHundreds(digits.slice(0, -2), digits.slice(-2));
}

/** The first of several classes that finds something at a capital letter. */
export const beforeCapitals = (classes: readonly SemioticClass[]): SemioticClass => ({
  begins: 'letter',
  isCapital: true,
  find(place) {
    const letter = place.text[place.start] ?? '';
    if (letter < 'A' || letter > 'Z') return undefined;
    for (const { find } of classes) {
      const found = find(place, cursorAt(place));
      if (found !== undefined) return found;
    }
    return undefined;
  },
});

const points = tableOf(`
  N=North|S=South|E=East|W=West|NE=Northeast|NW=Northwest|SE=Southeast|SW=Southwest
`);
const point = '(N[EW]?|S[EW]?|[EW])';

const road = pattern(
  'uy',
)`((?:I|US|SR|CR|FM)-|(?:Hwy\.?|Highway|Route|Rte\.?|Interstate|State Route) )(\d{1,4})(?: ${point}(?![\p{L}\d'’]))?(?![\p{L}\d]|[.,]\d|-\d)`;
const roadNames: Readonly<Record<string, string>> = { Hwy: 'Highway', Rte: 'Route' };

/** `I-95 N`, `US-101`, `Hwy 1` */
const roads = patternClass('letter', road, ([, written = '', digits = '', side]) => {
  const name = written.replace(/[ .-]{1,2}$/, '');
  return `${roadNames[name] ?? name} ${sayInPairs(digits)}${side === undefined ? '' : ` ${points[side]?.toLowerCase()}`}`;
});

/** `S 1st st` */
const ordinalStreet = / \d{1,3}(?:st|nd|rd|th) (?:st|street|ave?|avenue|rd|blvd|pl|ln|ct)(?!\p{L})/iuy;

const compass = pattern('uy')`${point}(?![\p{L}\d.'’])`;
const distance =
  /(?:\d ?(?:mi|miles?|km|kilometers?|m|ft|feet|yards?|blocks?|mph|kph|km\/h|knots?|kts?)|(?<!\p{L})(?:wind|winds|heading|headed|due|turn|facing))\s$/iu;

/** `35 km NW of town` */
const compassPoints = patternClass('letter', compass, ([letters], place, { at }) => {
  const name = points[letters] ?? letters;
  if (isNext(place.text, at, ordinalStreet)) return name;
  return isBehind(place, distance) ? name.toLowerCase() : undefined;
});

const streetNames = tableOf(`
  St=Street|Ave=Avenue|Blvd=Boulevard|Rd=Road|Dr=Drive|Ln=Lane|Ct=Court|Pl=Place|Pkwy=Parkway|Hwy=Highway|Ter=Terrace|
  Cir=Circle|Sq=Square|Trl=Trail
`);
const short = Object.keys(streetNames).join('|');
const nameOfStreet = String.raw`(?:(?:\p{Lu}[\p{L}'’]{1,18}\.?|\d{1,3}(?:st|nd|rd|th)) ){1,3}`;
const house = pattern(
  'uy',
)`(\d{1,5})(?: ${point}\.?(?= ))?(?= ${nameOfStreet}(?:${short}|${Object.values(streetNames).join('|')}|Way|Loop|Broadway|Row)(?![\p{L}\d]))`;

const houseOfStreet = pattern('iuy')`\d{1,5} ${point}${ordinalStreet.source}`;

/** `4059 Mt Lee Dr` and `42 W 3rd st` are no measures. */
export const isHouseNumber = (text: string, at: number): boolean =>
  isNext(text, at, house) || isNext(text, at, houseOfStreet);

/** `1600 Pennsylvania Ave`, `45 W 34th St` */
const houseNumbers = patternClass(
  { begins: 'digit', counts: (word) => /^[A-Z]/.test(word), digitsBefore: ['word', 'digits', 'group'] },
  house,
  ([, digits = '', side], { before }) =>
    /[-–$€£.\d]\s?$/.test(before) ? undefined : `${sayInPairs(digits)}${side === undefined ? '' : ` ${points[side]}`}`,
);

const lowerType = /(st|ave|rd|blvd|ln|pl|ct)(?![\p{L}\d'’-])/uy;
const behindOrdinal = /\d(?:st|nd|rd|th) $/;

/** `34th st` */
export const ordinalStreets = patternClass(
  {
    begins: 'letter',
    beginsWith: (word) => /^(?:st|ave|rd|blvd|ln|pl|ct)$/.test(word),
    behind: behindOrdinal,
    isGlued: true,
  },
  lowerType,
  ([type]) => streetNames[type.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())]?.toLowerCase(),
);

const streetType = pattern('uy')`(${short})(?![\p{L}\d'’-])(\.)?`;
const behindHouse = pattern('u')`\d[A-Z]? (?:${point}\.? )?${nameOfStreet}$`;
const behindName = /(?<!\p{L})(?:\p{Lu}[\p{L}'’]{2,18}|\d{1,3}(?:st|nd|rd|th)) $/u;
const behindStreet = /(?:[,;)\n]|$| \p{Ll}| (?:Apt|Suite|Ste|Unit|#)\.?(?!\p{L})|\s[NSEW]{1,2}(?!\p{L}))/uy;

/** `34th St, New York` and `Oak Rd` */
const streetTypes = patternClass(
  { begins: 'letter', behind: / $/ },
  streetType,
  ([, type = '', period], place, { at }) => {
    const isAddress = isBehind(place, behindHouse);
    // `Dr.` and `St.` elsewhere are titles too.
    const isStreet = isAddress
      ? period === undefined || !/^(?:St|Dr)$/.test(type) || !isNext(place.text, at, / \p{Lu}\p{Ll}/uy)
      : period === undefined &&
        /^(?:St|Rd|Ln|Blvd|Pkwy|Hwy)$/.test(type) &&
        isBehind(place, behindName) &&
        isNext(place.text, at, behindStreet);
    const stop = period !== undefined && endsSentence(place.text, at, 'any capital') ? '.' : '';
    return isStreet ? `${streetNames[type]}${stop}` : undefined;
  },
);

const dotted = /([A-Z]{1,2})\.(\d{2,4})(?![\d\p{L}]|[.,-]\d)/uy;

/** `H.264`, `X.509` */
const dottedNames = patternClass('letter', dotted, ([, letters, digits = ''], { before }) =>
  /[.@/]$/.test(before) ? undefined : `${letters} ${sayInPairs(digits)}`,
);

const paired = /(\d{3,4})(XT|Ti|[A-Z])?(?![\d\p{L}]|[.,]\d|-\d)/uy;
const pairedBehind =
  /(?<!\p{L})(?:RTX|GTX|RX|Ryzen|Radeon|GeForce|Xbox|RFC|IEEE|Form|form)\s(?:\d{3,4}(?:XT|Ti|[A-Z])?\/){0,3}$/u;
const airliner = /(7\d7)(?:-(\d{1,3})(?:ER|LR)?)?(?![\d\p{L}]|[.,-]\d)/uy;
const airlinerBehind = /(?<!\p{L})Boeing\s$/u;
const hyphenated = /-(\d{4,12})(?![\d]|[.,-]\d)/y;
const isYear = /^(?:19|20)\d\d$/;

/** `RTX 4090`, `Boeing 737-800`, `i7-9700K`, `ABC-1234` */
const modelNumbers = tokenClass({ begins: 'digit sign', signs: '-', isGlued: true }, (cursor, place) => {
  const [, code = ''] = place.text[place.start] === '-' ? (take(cursor, hyphenated) ?? []) : [];
  if (code !== '') {
    if (!/[A-Z]\d?$|(?<!\p{L})i\d$/u.test(place.before) || isYear.test(code)) return undefined;
    return ` ${/(?<!\p{L})i\d$/u.test(place.before) ? sayInPairs(code) : spellEnglish(code)}`;
  }
  if (!place.isBorder) return undefined;
  const [, type, variant] = place.text[place.start] === '7' ? (take(cursor, airliner) ?? []) : [];
  if (type !== undefined && (variant !== undefined || isBehind(place, airlinerBehind)))
    return [type, variant]
      .map((digits) => sayInPairs(digits ?? ''))
      .join(' ')
      .trim();
  cursor.at = place.start;
  const [, digits, letters] =
    /[XCEmnex] $|.\/$/.test(place.before.slice(-2)) && isBehind(place, pairedBehind)
      ? (take(cursor, paired) ?? [])
      : [];
  if (digits === undefined) return undefined;
  const said = sayInPairs(digits);
  return letters === undefined ? said : `${said} ${letters}`;
});

const halfDays = /(\d{1,2})(?::([0-5]\d))?([ap])(?: ?[-–] ?| to )(\d{1,2})(?::([0-5]\d))?([ap])(?![\p{L}\d])/uy;

/** `9a-12p` */
const halfDayRanges = patternClass(
  { begins: 'digit', digitsBefore: ['letter', 'colon'] },
  halfDays,
  ([, hour, minute, half, lastHour, lastMinute, lastHalf]) => {
    const clock = (hours = '', minutes: string | undefined, letter: string | undefined) => ({
      hour: Number(hours),
      minute: minutes === undefined ? undefined : Number(minutes),
      half: letter === 'a' ? ('AM' as const) : ('PM' as const),
    });
    return { kind: 'time', first: clock(hour, minute, half), last: clock(lastHour, lastMinute, lastHalf) };
  },
);

export const namesWithCapitals = [roads, streetTypes, compassPoints, dottedNames];
export const numberedNames = [houseNumbers, modelNumbers, halfDayRanges];
