/** Amounts with a unit: SI and imperial, with prefixes, powers and `/`. */
import { tableOf } from '../../table.ts';
import type { CompoundUnit, Language, Numeral, Place, Unit } from '../language.ts';
import { isEquation, isMagnitude, numberSigns, readCounted, readNumeral } from '../numerals.ts';
import { attempt, type Cursor, isNext, patternClass, take, tokenClass } from '../place.ts';
import { withUnits } from './times.ts';

const prefixes = tableOf(
  'p=pico|n=nano|µ=micro|μ=micro|u=micro|m=milli|c=centi|d=deci|h=hecto|k=kilo|M=mega|G=giga|T=tera|P=peta',
);

/** Symbols that take these prefixes. */
const prefixed = `
  m meter pnµμumcdk|g gram nµμumk|l liter µμumcdh|L liter µμumcdh|s second pnµμum|Hz hertz mkMGT|W watt µμmkMGT|
  Wh watt-hour mkMGT|V volt µμmkM|A ampere nµμmk|Ah ampere-hour mk|J joule mkMG|N newton mkM|Pa pascal hkMG|bar bar m|
  B byte kMGTP|bit bit kMGT|b bit MGT|cal calorie k|Ω ohm mkMG|F farad pnµμm|eV electronvolt kMGT|mol mole nµμmk|
  t tonne kM|px pixel M
`;

/** Symbols of all languages. */
const plain = tableOf(`
  m=meter|g=gram|l=liter|L=liter|s=second|sec=second|secs=second|Hz=hertz|W=watt|Wh=watt-hour|V=volt|J=joule|N=newton|
  Pa=pascal|bar=bar|bit=bit|cal=calorie|Ω=ohm|eV=electronvolt|mol=mole|t=tonne|px=pixel|A=ampere|Ah=ampere-hour|h=hour|
  hr=hour|hrs=hour|min=minute|mins=minute|KB=kilobyte|Kb=kilobit|ha=hectare|°=degree|º=degree|°C=celsius|°F=fahrenheit|
  ℃=celsius|℉=fahrenheit|°K=kelvin|dB=decibel|dBA=decibel|lx=lux|lm=lumen|
  cd=candela|rad=radian|dpi=dot-per-inch|ppi=pixel-per-inch|mcg=microgram|fps=frame-per-second|rpm=revolution-per-minute|
  bpm=beat-per-minute|ppm=part-per-million|ppb=part-per-billion|bps=bit-per-second|kbps=kilobit-per-second|
  mbps=megabit-per-second|gbps=gigabit-per-second|Kbps=kilobit-per-second|Mbps=megabit-per-second|Gbps=gigabit-per-second|
  Tbps=terabit-per-second|kbit/s=kilobit-per-second|mph=mile-per-hour|kph=kilometer-per-hour|kmh=kilometer-per-hour|
  km/h=kilometer-per-hour|Km/h=kilometer-per-hour|mpg=mile-per-gallon|psi=pound-force-per-square-inch|atm=atmosphere|
  mmHg=millimeter-ofhg|hp=horsepower|kt=knot|kts=knot|kn=knot|Km=kilometer|KM=kilometer|Kg=kilogram|KG=kilogram|ML=milliliter|
  mi=mile|yd=yard|yds=yard|ft=foot|lb=pound|lbs=pound|oz=ounce|gal=gallon|qt=quart|tsp=teaspoon|Tsp=teaspoon|tbsp=tablespoon|
  Tbsp=tablespoon|fl oz=fluid-ounce|fl. oz=fluid-ounce|sq ft=square-foot|sq. ft=square-foot|sq mi=square-mile|
  sq. mi=square-mile|sq m=square-meter|sq km=square-kilometer|sq in=square-inch|cu ft=cubic-foot|cu. ft=cubic-foot|
  sqft=square-foot|sqm=square-meter|m²=square-meter|㎡=square-meter|㎥=cubic-meter|㎞=kilometer|㎝=centimeter|㎜=millimeter|
  ㎏=kilogram|㎎=milligram|㎖=milliliter|㎢=square-kilometer|cc=cubic-centimeter|gb=gigabyte|
  tb=terabyte|kb=kilobyte|mb=megabyte|hz=hertz|khz=kilohertz|mhz=megahertz|ghz=gigahertz|Mhz=megahertz|Ghz=gigahertz|kw=kilowatt|yr=year|yrs=year|wk=week|wks=week
`);

const symbols = new Map<string, string>(Object.entries(plain));
/** The id of a symbol, or of a language's own. */
export const unitOf = (symbol: string, own: Readonly<Record<string, string>> = {}): string | undefined =>
  own[symbol] ?? symbols.get(symbol);
for (const entry of prefixed.trim().split(/\|\s*/)) {
  const [symbol, id, allowed = ''] = entry.split(' ');
  for (const prefix of allowed) symbols.set(`${prefix}${symbol}`, `${prefixes[prefix]}${id}`);
}
/** `mb` is no megabyte; these are letters that are more often a word or a name unless a number is right before them. */
const glued = new Set(['A', 'kn', 'cd', 'rad', 'ML', 'KM', 'F', 'C', 'mb', 'kb', 'tb', 'hz', 'um']);
const unitSymbol =
  /(?:lb-ft|ft-lbs?(?!\p{L})|c\.(?= \p{Ll}{3})|[º°] ?[CFcf](?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])|[º°][CFKk]?(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])|(?:fl|sq|cu)\.? (?:oz|ft|mi|km|m|in|yd)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])|[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}µ]{1,8}|[㎡㎥㎞㎝㎜㎏㎎㎖㎢℃℉])/uy;
const exponents = tableOf('²=2|³=3|^2=2|^3=3|⁻¹=-1|⁻²=-2|^-1=-1|^-2=-2');
const power = /[²³]|⁻[¹²]|\^-?[1-3](?!\d)/y;
const digitPower = /[23](?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}]|[.,]\d)/uy;

const isUnitWord = (word: string, language: Language): boolean =>
  language.units.has(word) || symbols.has(word) || isMagnitude(word, language) || /^(?:fl|sq|cu|lb|ft|c)$/.test(word);

const readSimpleUnit = (cursor: Cursor, language: Language): Unit | undefined =>
  attempt(cursor, () => {
    const [symbol = ''] = take(cursor, unitSymbol) ?? [];
    // `º c`
    const written = /^[º°] ?[cfk]$/i.test(symbol) ? `°${symbol.slice(-1).toUpperCase()}` : symbol;
    const id = language.units.get(written) ?? symbols.get(written) ?? '';
    if (id === '') return undefined;
    const [raised] = take(cursor, power) ?? [];
    // `m2`, but not the name of a thing.
    const isLength = raised === undefined && /^(?:meter|kilometer|centimeter|millimeter|second)$/.test(id);
    const [digit] = isLength ? (take(cursor, digitPower) ?? []) : [];
    const exponent = Number(raised === undefined ? (digit ?? 1) : (exponents[raised] ?? 1));
    return exponent === 1 ? { id } : { id, power: exponent };
  });

/** Words behind `/`, as in `kWh/day`. */
const perWord = /(?:second|minute|hour|day|week|month|year|mile|liter|kilometer)(?!\p{L})/uy;
const per100 = /\/100 ?km(?!\p{L})/uy;
const perSign = /[/∕·⋅*](?=\p{L})/uy;
/** Not the end of a unit. What is done a day is said behind it: `5 mg/kg/day`. */
const afterUnit =
  /[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{N}\p{Sc}_²³]|\/(?!(?:d|day|dose|wk|week|h|hr|hour|min|mo|month|yr|year)(?!\p{L}))(?=\p{sc=Latn})|['’](?=\p{sc=Latn})/uy;

/** Text behind inches, but not `5 in a row`. */
const behindInches =
  /[²³]|\.?(?:$|[,;:!?)]|\.\s|\s*[x×])|\s\(|\s(?:of|by|wide|tall|long|high|deep|thick|x)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])/uy;

/** A unit behind a number. */
export const readUnit = (cursor: Cursor, language: Language, space = /[ \u00a0\u202f-]?/y): CompoundUnit | undefined =>
  attempt(cursor, () => {
    const { text } = cursor;
    const [gap = ''] = take(cursor, space) ?? [];
    const { at } = cursor;
    const of = readSimpleUnit(cursor, language);
    if (of === undefined) return undefined;
    const { at: end } = cursor;
    const symbol = text.slice(at, end);
    let unit: CompoundUnit = { of };
    const [joined] = take(cursor, perSign) ?? [];
    if (joined === undefined && take(cursor, per100) !== undefined) unit = { of: { id: `${of.id}-per-100-kilometer` } };
    if (joined !== undefined) {
      const [word] = joined === '/' ? (take(cursor, perWord) ?? []) : [];
      const per = word === undefined ? readSimpleUnit(cursor, language) : { id: word };
      const isPer = joined === '/' || joined === '∕' || (per?.power ?? 0) < 0;
      // `N·m`
      if (per !== undefined && !isPer && per.power === undefined && joined !== '*')
        unit = { of: { id: `${of.id}-${per.id}` } };
      else if (per === undefined || !isPer) cursor.at = end;
      else unit = { of, per: per.power !== undefined && per.power < 0 ? { id: per.id, power: -per.power } : per };
    }
    const isNextAny = (pattern: RegExp | undefined): boolean =>
      pattern !== undefined && isNext(text, cursor.at, pattern);
    if (isNextAny(afterUnit) && !isNextAny(language.unitSuffix)) return undefined;
    if (gap !== '' && unit.per === undefined && glued.has(symbol) && !language.units.has(symbol)) return undefined;
    const isInch = symbol === 'in' && language.units.get(symbol) === 'inch';
    return isInch && !isNextAny(behindInches) ? undefined : unit;
  });

/** Units that things are counted by, besides areas and volumes. */
const countedBy = /^(?:hectare|kilometer|hour|minute|second|kilogram|liter)$/;

/** `350 Einwohner/km²`, things by a unit. @param say of the unit, with a word for the slash */
export const countsPer = (say: (unit: Unit) => string | undefined, behind = /\d[ \u00a0]?\p{L}{3,20}\.?$/u) =>
  tokenClass({ begins: 'sign', signs: '/', behind }, (cursor, { language }) => {
    take(cursor, /\/ ?/y);
    const { of, per } = readUnit(cursor, language, /(?:)/y) ?? {};
    const isUnit = of !== undefined && per === undefined && (of.power !== undefined || countedBy.test(of.id));
    return isUnit ? say(of) : undefined;
  });

const labels =
  /(?<!\p{L})(?:rooms?|flats?|apartment|apt\.?|section|gates?|seats?|exit|row|aisle|bay|floor|door|terminal|unit|form|class|grade|question|figure|table|exhibit|item|bus|line|route|type|model|level|suite|part|block|pier|track|platform|size) $/iu;
export const abbreviationPeriod = /\.(?=[ \u00a0](?:\p{Ll}|\d)|[,;:)/])/uy;

export const measures = tokenClass(
  {
    begins: 'digit sign',
    signs: numberSigns,
    counts: (word, language) => isUnitWord(word, language),
    numberBefore: ['letter', 'word', 'sign', 'mark', 'hyphen'],
  },
  (cursor, place) => {
    const amount = readCounted(
      cursor,
      place,
      /[ \u00a0]?(?:[°º] ?[CFcf]?|[℃℉]|[\p{L}²³][\p{L}²³/]{0,5})(?=[ \u00a0]?[-–—~～][ \u00a0]?\d)/uy,
    );
    if (amount === undefined) return undefined;
    const isJoined = place.text[cursor.at] === '-';
    const at = cursor.at;
    const unit = readUnit(cursor, place.language);
    if (unit === undefined) return undefined;
    if (place.language.isNoMeasure?.(place, cursor.at)) return undefined;
    // `5A景区`
    if (place.text[cursor.at - 1] === 'A' && isNext(place.text, cursor.at, /\p{sc=Han}/uy)) return undefined;
    // `Gate 5A`
    if (
      /^[A-Z]$/.test(place.text.slice(at, cursor.at)) &&
      /(?<!\p{L})\p{L}{3,12} $/u.test(place.before) &&
      labels.test(place.before)
    )
      return undefined;
    if (/\p{L}/u.test(place.text[cursor.at - 1] ?? '')) take(cursor, abbreviationPeriod);
    return { kind: 'measure', amount, unit, ...(isJoined ? { use: 'attribute' } : {}) };
  },
);

const feet =
  /(\d{1,3})[ \u00a0]?['′’](?:[ \u00a0]?(\d{1,2}(?:\.\d{1,2})?)[ \u00a0]?(?:["″”]|''|′′)?(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d]))?/uy;
const inches = /[ \u00a0]?(?:["″]|′′)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy;
const arc =
  /(\d{1,3}(?:\.\d{1,8})?)[ \u00a0]?[°º][ \u00a0]?(?:(\d{1,2}(?:\.\d{1,8})?)[ \u00a0]?['′’][ \u00a0]?(?:(\d{1,2}(?:\.\d{1,8})?)[ \u00a0]?(?:["″”]|''|′′))?)?(?:[ \u00a0]?([NSEW])(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d]))?/uy;
const numeralOf = (digits: string): Numeral => {
  const [whole = '', fraction] = digits.split('.');
  return { whole, fraction };
};

/** Whether a `"` here closes a quotation that began a little before. */
export const isQuoted = ({ text, start }: Place): boolean => {
  const line = text.slice(Math.max(0, start - 200), start);
  const opening = line.match(/(?<![^\s([])"/g)?.length ?? 0;
  const closing = line.match(/(?<=[^\s\d([])"/g)?.length ?? 0;
  return opening > closing;
};

/** Nouns of things measured in feet alone: `8' ceilings`. */
const footNoun =
  /[ -](?:ceilings?|walls?|boards?|ladders?|fences?|wide|tall|long|high|deep|of|tables?|beams?|poles?|cables?|cords?|hose|sofas?|couch|boats?|trailers?|trees?|snakes?|waves?|tall|by)(?!\p{L})/uy;
const isQuotation = ({ text, start }: Place): boolean =>
  /(?<![\p{L}\d])['‘](?!\d\ds?(?!\d))[^'’]{0,200}$/u.test(text.slice(Math.max(0, start - 200), start));

/** `6'2"`, `27"`, `40°26′46″N`. */
export const marks = tokenClass({ begins: 'digit', numberBefore: ['sign', 'mark'] }, (cursor, place) => {
  const [, degrees, minutes, seconds, side] = take(cursor, arc) ?? [];
  if (degrees !== undefined && (minutes !== undefined || side !== undefined)) {
    const parts = withUnits([degrees, minutes, seconds], ['degree', 'arc-minute', 'arc-second'], numeralOf);
    return { kind: 'measures', parts, ...(side === undefined ? {} : { rest: side }) };
  }
  cursor.at = place.start;
  const [written = '', foot, inch] = take(cursor, feet) ?? [];
  if (foot !== undefined && inch !== undefined) {
    return { kind: 'measures', parts: withUnits([foot, inch], ['foot', 'inch'], numeralOf) };
  }
  if (/′$/.test(written) || (/['’]$/.test(written) && isNext(place.text, cursor.at, footNoun) && !isQuotation(place)))
    return { kind: 'measures', parts: [[{ whole: foot ?? '' }, 'foot']] };
  cursor.at = place.start;
  const number = readNumeral(cursor, place.language);
  if (number === undefined || take(cursor, inches) === undefined) return undefined;
  if (place.text[cursor.at - 1] === '"' && isQuoted(place)) return undefined;
  return { kind: 'measures', parts: [[number, 'inch']] };
});

const matchMinute = /(\d{1,3})(?: ?\+ ?(\d{1,2}))?['’′](?![\p{sc=Latn}\p{sc=Cyrl}\d'’′"])/uy;
/** A player, an event or another minute before it. */
const behindPlayer =
  /(?<!\p{L})(?!(?:height|length|width|depth|size|about|approx|the|an?|is|are|of|at)(?!\p{L}))(?:\p{Lu}[\p{L}.-]{1,20}|[\p{sc=Han}\p{sc=Kana}\p{sc=Hang}]{1,4}) ?[(（]?$|['’′](?: ?[,;/、，] ?)$|(?<!\p{L})(?:goal|min\.?|minute|gol|but|tor|tore|doelpunt)[:,]? [(（]?$|(?:^|\n|[⚽🟨🟥🔄] ?)$/iu;
const beforePlayer =
  / ?[-–—:|] | (?:[⚽🟨🟥🔄]|\p{Lu})| ?[),;.、，）]| (?:pen|og|p|e|ET|FK|HT|FT)(?!\p{L})| ?\p{sc=Han}|\s*$| (?:y|e|et|und|and|en|i|и) \p{Lu}/uy;

/** `23'` and `90+3'` beside the name of a player. */
export const matchMinutes = patternClass(
  { begins: 'digit', digitsBefore: ['sign', 'mark'] },
  matchMinute,
  ([, minute = '', added], place, { at }) => {
    const isPlayed = added !== undefined || (behindPlayer.test(place.before) && isNext(place.text, at, beforePlayer));
    return Number(minute) > 120 || !isPlayed || isQuotation(place) ? undefined : { kind: 'matchMinute', minute, added };
  },
);

const by = /(?:[ \u00a0]?[xX×][ \u00a0]?|\*)(?=\d)/y;
const unitBetween = /[ \u00a0]?(?:mm|cm|m|in|ft|px|["″'′’])(?=[ \u00a0]?[xX×])/y;

/** `1920x1080`, `10 × 20 cm`. `3 × 5` is a product. */
export const dimensions = tokenClass(
  { begins: 'digit', counts: (word) => word.length <= 2, numberBefore: ['letter', 'word', 'sign', 'mark'] },
  (cursor, place) => {
    const first = readNumeral(cursor, place.language);
    if (first === undefined) return undefined;
    const numbers = [first];
    let byLetter = false;
    while (numbers.length < 5) {
      const afterNumber = cursor.at;
      take(cursor, unitBetween);
      const [mark] = take(cursor, by) ?? [];
      const next = mark === undefined ? undefined : readNumeral(cursor, place.language);
      if (mark === undefined || next === undefined) {
        cursor.at = afterNumber;
        break;
      }
      byLetter ||= /[xX]/.test(mark);
      numbers.push(next);
    }
    if (numbers.length < 2) return undefined;
    const byInches = isNext(place.text, cursor.at, inches) && !isQuoted(place);
    if (byInches) take(cursor, inches);
    const byFeet = !byInches && take(cursor, /[ \u00a0]?(?:['′’](?![\p{L}\d])|ft(?!\p{L}))/uy) !== undefined;
    const unit = byInches ? { of: { id: 'inch' } } : byFeet ? { of: { id: 'foot' } } : readUnit(cursor, place.language);
    if (unit === undefined && isNext(place.text, cursor.at, /[\p{L}\d]/uy)) return undefined;
    const isProduct = unit === undefined && isEquation(place, cursor.at);
    // `640×480`, but `3 × 5` is a product.
    const isSize = numbers.every(({ whole }) => whole.length >= 3) && !isProduct;
    if (unit === undefined && !byLetter && !isSize) return undefined;
    return { kind: 'dimensions', numbers, unit, ...(isProduct ? { use: 'product' } : {}) };
  },
);
