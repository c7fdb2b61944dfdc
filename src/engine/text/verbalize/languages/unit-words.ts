/** Units in words, by the patterns of CLDR. */
import { tableOf } from '../../table.ts';
import { unitOf } from '../classes/measures.ts';
import type { Amount, CompoundUnit, Unit } from '../semiotic.ts';
import type { NumberWords } from './number-words.ts';

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
