/** Units in words, by the patterns of CLDR. */
import { tableOf } from '../../table.ts';
import { unitOf } from '../classes/measures.ts';
import type { Amount, CompoundUnit } from '../semiotic.ts';
import type { NumberWords } from './number-words.ts';

interface UnitName {
  readonly gender?: string | undefined;
  /** Patterns by plural category, and `per`. */
  readonly patterns: ReadonlyMap<string, string>;
}
function parseUnits(text: string): ReadonlyMap<string, UnitName> {
  const units = new Map<string, UnitName>();
  for (const line of text.trim().split('\n')) {
    const space = line.indexOf(' ');
    const parts = line.slice(space + 1).split('|');
    const gender = parts[0]?.startsWith('@') ? parts.shift()?.slice(1) : undefined;
    const patterns = new Map(
      parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const),
    );
    units.set(line.slice(0, space), {
      gender,
      patterns: line.startsWith('per ') ? new Map([['other', line.slice(4)]]) : patterns,
    });
  }
  return units;
}

export type UnitWords = ReturnType<typeof unitWords>;

export function unitWords(unitNames: string, { own, categoryOf, sayAmount, formOf }: NumberWords) {
  let parsed: ReadonlyMap<string, UnitName> | undefined;
  const unitNamed = (id: string): UnitName | undefined => {
    parsed ??= parseUnits(unitNames);
    return parsed.get(id);
  };
  const genderOf = (id: string): string | undefined => unitNamed(id)?.gender;
  /** With a form of the number if it is in the genitive, where units of whole numbers are in the plural. */
  const nounPattern = (id: string, amount: Amount, form?: string): string | undefined => {
    const patterns = unitNamed(id)?.patterns;
    const isMany = form !== undefined && (amount.last ?? amount.first).fraction === undefined;
    return patterns?.get(isMany ? 'many' : categoryOf(amount)) ?? patterns?.get('other');
  };
  /** Units that CLDR joins by a slash are one after the other. */
  const withPattern = (pattern: string, said: string): string => {
    const words = pattern
      .replace('/', own.unitSlash ?? ' ')
      .replace('{0}', said)
      .trim();
    return own.joinsUnits ? words.replaceAll(' ', '') : words;
  };
  const nounOf = ({ patterns }: UnitName): string =>
    (patterns.get('one') ?? patterns.get('other') ?? '').replace('{0}', '').trim();
  let named: ReadonlyMap<string, string> | undefined;
  /** The id of a unit whose name is written out. */
  const idNamed = (noun: string): string | undefined => {
    parsed ??= parseUnits(unitNames);
    named ??= new Map([...parsed].map(([id, unit]) => [nounOf(unit), id]));
    return named.get(noun);
  };
  const rates = tableOf(own.rates ?? '', ',');
  const between = (unit?: UnitName): string => {
    const pattern = unitNamed('per')?.patterns.get('other') ?? '{0}/{1}';
    return (unit === undefined || pattern === '{0}/{1}' ? own.perWord : undefined) ?? pattern;
  };
  /** The word for `/` before an amount: `€/100 g`. */
  const perSign = (): string | undefined => /^\{0\}([^/]+)\{1\}$/.exec(between())?.[1];
  /** @param word in place of a unit that is none */
  const perUnit = (said: string, id: string, word?: string): string | undefined => {
    const unit = unitNamed(id);
    const known = unit?.patterns.get('per');
    if (known !== undefined && !known.includes('/')) return withPattern(known, said);
    const name = unit === undefined ? (rates[word ?? ''] ?? word) : nounOf(unit);
    if (name === undefined) return undefined;
    if (unit !== undefined && own.unitSlash !== undefined) return said + own.unitSlash + name;
    const pattern = between(unit);
    return pattern === '{0}/{1}' ? undefined : pattern.replace('{0}', said).replace('{1}', name);
  };
  const sayUnit = (amount: Amount, { of, per }: CompoundUnit, form?: string): string | undefined => {
    const id = of.power === 2 ? `square-${of.id}` : of.power === 3 ? `cubic-${of.id}` : of.id;
    const compound = per === undefined ? id : `${id}-per-${per.power === 2 ? `square-${per.id}` : per.id}`;
    const known = unitNamed(compound) === undefined ? id : compound;
    const pattern = nounPattern(known, amount, form);
    if (pattern === undefined) return undefined;
    const { first, last, magnitude, sign } = amount;
    const isWhole = last === undefined && magnitude === undefined && sign === undefined && first.fraction === undefined;
    const numbered = isWhole ? own.numbered?.(pattern.replace('{0}', '').trim(), first.whole) : undefined;
    if (numbered !== undefined && per === undefined && pattern.includes('{0}')) return numbered;
    // A unit that says the number in its own words has no place for it.
    const said = pattern.includes('{0}')
      ? withPattern(pattern, sayAmount(amount, form ?? formOf(genderOf(known))))
      : pattern;
    if (per === undefined || known === compound) return said;
    return perUnit(said, per.power === undefined ? per.id : `${per.power === 2 ? 'square' : 'cubic'}-${per.id}`);
  };
  /** `€/mes`, `₽/кг` */
  const sayPer = (said: string, rate: string): string => rate.split('/').reduce(perWord, said);
  const perWord = (said: string, per: string): string => {
    const written = per.replace(/[²³]$/, '');
    const id = unitOf(written, own.units) ?? idNamed(written);
    const power = per.endsWith('²') ? 'square-' : per.endsWith('³') ? 'cubic-' : '';
    return perUnit(said, power + (id ?? ''), per) ?? `${said} ${per}`;
  };
  return { genderOf, nounPattern, withPattern, sayUnit, sayPer, perSign };
}
