/** Numbers, ranges, scores and units in words, by the rules and patterns of CLDR and a language's settings. */
import { tableOf } from '../../table.ts';
import { unitOf } from '../classes/measures.ts';
import type { Amount, CompoundUnit, Numeral, Place, Sign, Unit } from '../language.ts';
import { numberOf } from '../numerals.ts';
import { pluralCategory, type Spelling } from '../spell-out.ts';
import { fill, type Settings } from './settings.ts';

/** `3-1` is a score, as a range goes up. */
const isScore = ({ sign, first, last, magnitude }: Amount): boolean =>
  last !== undefined &&
  [sign, magnitude, first.fraction, last.fraction].every((part) => part === undefined) &&
  [first, last].every(({ whole }) => /^(?:0|[1-9]\d{0,2})$/.test(whole)) &&
  numberOf(first) > numberOf(last) &&
  numberOf(first) < 200;

export type NumberWords = ReturnType<typeof numberWords>;

export function numberWords(tag: string, spelling: Spelling, own: Settings) {
  const { spellOut, hasForm } = spelling;
  const gap = own.isUnspaced ? '' : ' ';
  const base = hasForm('numbering') ? 'numbering' : 'cardinal';
  const minus = own.minus ?? spelling.minus() ?? 'minus';
  const point = own.point ?? spelling.point() ?? '.';
  const digitNames = Array.from({ length: 10 }, (_, digit) => spellOut(base, digit));
  const signs: Readonly<Record<Sign, string>> = { '-': minus, '+': own.plus ?? '', '±': '±', '~': '' };
  const numbers = {
    intlTag: own.intlTag ?? tag,
    to: own.to ?? '',
    join: (...words: readonly string[]): string => words.filter((word) => word !== '').join(gap),
    firstForm: (...forms: readonly string[]): string => forms.find((form) => hasForm(form)) ?? base,
    spell: (digits: string): string =>
      [...digits.replace(/\D/g, '')].map((digit) => digitNames[Number(digit)] ?? '').join(gap),
    whole(digits: string, form: string = base): string {
      if (digits.length > 15 || /^0\d/.test(digits)) return numbers.spell(digits);
      const said = spellOut(numbers.firstForm(form), Number(digits));
      return own.tidy?.(said) ?? said;
    },
    say({ whole: digits, fraction }: Numeral, form = base): string {
      const whole = digits === '' ? '0' : digits;
      if (fraction === undefined) return numbers.whole(whole, form);
      return (
        own.decimal?.(spelling, whole, fraction, form) ??
        numbers.join(numbers.whole(whole), point, ...[...fraction].map((digit) => numbers.whole(digit)))
      );
    },
    signed: (sign: Sign | undefined, said: string): string =>
      sign === undefined ? said : numbers.join(signs[sign], said),
    range: (first: string, last: string): string =>
      own.range === undefined ? numbers.join(first, numbers.to, last) : fill(own.range, first, last),
    /** Form for a number of a magnitude with one, few, many and parts, or with one and many. */
    agreeing(magnitude: string, number: Numeral, form: string): string {
      if (!magnitude.includes('|')) return magnitude;
      const forms = magnitude.split('|');
      const category = numbers.categoryOf({ first: number });
      const nominative = ['one', ...(forms.length > 2 ? ['few', 'many'] : [])].indexOf(category);
      return forms.at(!form.endsWith('genitive') ? nominative : /few|many/.test(category) ? 2 : -1) ?? magnitude;
    },
    sayAmount(amount: Amount, ofUnit = base): string {
      const { sign, first, last, lastSign, magnitude = '' } = amount;
      const isCounted = magnitude.includes('|') && !ofUnit.endsWith('genitive');
      const isFeminine = isCounted && own.feminineMagnitude?.test(magnitude) === true;
      const form = isCounted ? numbers.formOf(isFeminine ? 'feminine' : 'masculine') : ofUnit;
      if (last !== undefined && isScore(amount))
        return numbers.join(numbers.say(first), own.score ?? '', numbers.say(last));
      const firstForm = last === undefined || /genitive$/.test(form) ? form : base;
      const start = numbers.signed(sign, numbers.say(first, firstForm));
      const end = last === undefined ? undefined : numbers.signed(lastSign, numbers.say(last, own.lastForm ?? form));
      const said = end === undefined ? start : numbers.range(start, end);
      return numbers.join(said, numbers.agreeing(magnitude, last ?? first, form));
    },
    /** The form of a whole number in the case that its context shows. */
    inCase({ first, last, magnitude, sign }: Amount, place: Place, end: number): string | undefined {
      const isDecimal = (last ?? first).fraction !== undefined;
      if (sign !== undefined || (isDecimal && own.decimal === undefined)) return undefined;
      // The end of a decimal is a part, whose gender it has.
      const isOne = !isDecimal && /(?:^|[^1])1$/.test((last ?? first).whole);
      const found = isOne ? undefined : own.caseOf?.(place, end);
      if (found === undefined || (magnitude !== undefined && found !== 'genitive')) return undefined;
      return numbers.firstForm(`cardinal-masculine-${found}`);
    },
    /** Words of an amount whose unit is in the genitive too, as after `до` and `od`. */
    genitive(amount: Amount, place: Place, end: number): string | undefined {
      const form = numbers.inCase(amount, place, end);
      return form?.endsWith('genitive') ? form : undefined;
    },
    formOf(gender: string | undefined): string {
      const own =
        gender === undefined ? [] : [`cardinal-${gender}`, ...(gender === 'common' ? ['cardinal-reale'] : [])];
      return numbers.firstForm(...own, 'cardinal-masculine', 'cardinal', 'cardinal-sinokorean');
    },
    ordinalForm(mark: string, place: Place): string {
      const form = typeof own.ordinalForm === 'function' ? own.ordinalForm(mark, place) : own.ordinalForm;
      return numbers.firstForm(form ?? 'ordinal', 'ordinal', 'ordinal-masculine');
    },
    /** The plural category of an amount's last number. */
    categoryOf({ first, last, magnitude }: Amount): string {
      const counted = last ?? first;
      if (magnitude !== undefined) return pluralCategory(numbers.intlTag, 1_000_000);
      return pluralCategory(numbers.intlTag, numberOf(counted), Math.min(20, counted.fraction?.length ?? 0));
    },
  };
  return { ...numbers, own, spellOut, gap, base, minus, point };
}

interface UnitName {
  readonly gender?: string | undefined;
  /** Patterns by plural category, and `per`. */
  readonly patterns: Readonly<Record<string, string>>;
}
const parseUnits = (text: string): ReadonlyMap<string, UnitName> =>
  new Map(
    text
      .trim()
      .split('\n')
      .map((line) => {
        const [, id = '', gender, patterns = ''] = /^(\S+) (?:@([^|]*)\|)?(.*)$/.exec(line) ?? [];
        return [id, { gender, patterns: id === 'per' ? { other: patterns } : tableOf(patterns) }];
      }),
  );
const idOf = ({ id, power }: Unit): string => (power === 2 ? `square-${id}` : power === 3 ? `cubic-${id}` : id);
const nounOf = ({ patterns: { one, other = '' } }: UnitName): string => (one ?? other).replace('{0}', '').trim();

export type UnitWords = ReturnType<typeof unitWords>;

export function unitWords(unitNames: string, { own, categoryOf, sayAmount, formOf }: NumberWords) {
  const ownUnits = tableOf(own.units ?? '', ',');
  const rates = tableOf(own.rates ?? '', ',');
  let parsed: ReadonlyMap<string, UnitName> | undefined;
  const all = (): ReadonlyMap<string, UnitName> => {
    parsed ??= parseUnits(unitNames);
    return parsed;
  };
  let named: ReadonlyMap<string, string> | undefined;
  /** The id of a unit whose name is written out. */
  const idNamed = (noun: string): string | undefined => {
    named ??= new Map([...all()].map(([id, unit]) => [nounOf(unit), id]));
    return named.get(noun);
  };
  const slash = own.unitSlash === undefined ? ' ' : ` ${own.unitSlash} `;
  const between = (unit?: UnitName): string => {
    const pattern = all().get('per')?.patterns.other ?? '{0}/{1}';
    return (unit === undefined || pattern === '{0}/{1}' ? own.perWord : undefined) ?? pattern;
  };
  const units = {
    genderOf: (id: string): string | undefined => all().get(id)?.gender,
    /** With a form of the number if it is in the genitive, where units of whole numbers are in the plural. */
    nounPattern(id: string, amount: Amount, form?: string): string | undefined {
      const patterns = all().get(id)?.patterns;
      const isMany =
        (form ?? (amount.last && own.lastForm)) !== undefined && (amount.last ?? amount.first).fraction === undefined;
      return patterns?.[isMany ? 'many' : categoryOf(amount)] ?? patterns?.other;
    },
    /** Units that CLDR joins by a slash are one after the other. */
    withPattern(pattern: string, said: string): string {
      const words = pattern.replace('/', slash).replace('{0}', said).trim();
      return own.joinsUnits ? words.replaceAll(' ', '') : words;
    },
    /** The word for `/` before an amount: `€/100 g`. */
    perSign: (): string | undefined => /^\{0\}([^/]+)\{1\}$/.exec(between())?.[1],
    /** @param word in place of a unit that is none */
    perUnit(said: string, id: string, word?: string): string | undefined {
      const unit = all().get(id);
      const known = unit?.patterns.per;
      if (known !== undefined && !known.includes('/')) return units.withPattern(known, said);
      const name = unit === undefined ? (rates[word ?? ''] ?? word) : nounOf(unit);
      if (name === undefined) return undefined;
      if (unit !== undefined && own.unitSlash !== undefined) return said + slash + name;
      const pattern = between(unit);
      return pattern === '{0}/{1}' ? undefined : pattern.replace('{0}', said).replace('{1}', name);
    },
    sayUnit(amount: Amount, { of, per }: CompoundUnit, form?: string): string | undefined {
      const id = idOf(of);
      const compound = per === undefined ? id : `${id}-per-${per.power === 2 ? `square-${per.id}` : per.id}`;
      const known = all().has(compound) ? compound : id;
      const pattern = units.nounPattern(known, amount, form);
      if (pattern === undefined) return undefined;
      const { first, last, magnitude, sign } = amount;
      const isWhole = [last, magnitude, sign, first.fraction].every((part) => part === undefined);
      const numbered = isWhole ? own.numbered?.(pattern.replace('{0}', '').trim(), first.whole) : undefined;
      if (numbered !== undefined && per === undefined && pattern.includes('{0}')) return numbered;
      // A unit that says the number in its own words has no place for it.
      const said = pattern.includes('{0}')
        ? units.withPattern(pattern, sayAmount(amount, form ?? formOf(units.genderOf(known))))
        : pattern;
      if (per === undefined || known === compound) return said;
      return units.perUnit(
        said,
        per.power === undefined ? per.id : `${per.power === 2 ? 'square' : 'cubic'}-${per.id}`,
      );
    },
    /** `/km²` behind what is counted. */
    countPer: (unit: Unit): string | undefined => {
      const said = units.perUnit('', idOf(unit));
      return said && `${own.isUnspaced ? '' : ' '}${said.trim()}`;
    },
    /** `€/mes`, `₽/кг` */
    sayPer: (price: string, rate: string): string =>
      rate.split('/').reduce((said, per) => {
        const written = per.replace(/[²³]$/, '');
        const id = unitOf(written, ownUnits) ?? idNamed(written);
        const power = per.endsWith('²') ? 'square-' : per.endsWith('³') ? 'cubic-' : '';
        return units.perUnit(said, power + (id ?? ''), per) ?? `${said} ${per}`;
      }, price),
  };
  return units;
}
