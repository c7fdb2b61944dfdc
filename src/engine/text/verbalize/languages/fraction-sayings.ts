/** Fractions in words, with the unit of which they are a part. */
import { tableOf } from '../../table.ts';
import type { Sayings } from '../language.ts';
import { isBehind } from '../place.ts';
import type { CompoundUnit, Meaning } from '../semiotic.ts';
import { isSaidPart } from './families.ts';
import type { NumberWords } from './number-words.ts';
import { fill } from './settings.ts';
import type { UnitWords } from './unit-words.ts';

/** The number of one part, which an article stands for. */
const one = /^(?:une?|uno|um|eine?|een|en|et|én) /u;

export function fractionSaying(numbers: NumberWords, units: UnitWords): Sayings['fraction'] {
  const { own, join, signed, whole, formOf } = numbers;
  const { genderOf, nounPattern, withPattern } = units;
  const parts = tableOf(own.parts ?? '', ',');
  const halves = tableOf(own.halves ?? '', ',');
  const halfBehind = tableOf(own.halfBehind ?? '', ',');
  const sayFraction = fractionWords(numbers, parts, halves.masculine);
  const behindArticle = new RegExp(String.raw`(?<!\p{L})(?:${own.articles ?? '(?!)'})\s$`, 'iu');

  function percent(said: string): string | undefined {
    const pattern = nounPattern('percent', { first: { whole: '0', fraction: '5' } });
    if (pattern !== undefined && !/[%٪]/.test(pattern)) return withPattern(pattern, said);
    return own.percent && join(said, own.percent);
  }

  /** "una taza y media" */
  function withHalfBehind(digits: string, { of, per }: CompoundUnit): string | undefined {
    const pattern = nounPattern(of.id, { first: { whole: digits } });
    if (own.halfBehind === undefined || pattern === undefined || per !== undefined) return undefined;
    const gender = genderOf(of.id) === 'feminine' ? 'feminine' : 'masculine';
    return `${withPattern(pattern, whole(digits, formOf(gender)))} ${halfBehind[gender]}`;
  }

  return ({ unit, ...fraction }, place, end) => {
    const { above, below, whole: digits } = fraction;
    const isHalf = above === '1' && below === '2';
    const gender = unit === undefined ? own.halfNoun?.(place, end) : genderOf(unit.of.id);
    const half = isHalf && digits === undefined ? (halves[gender ?? ''] ?? halves.any) : undefined;
    const full = half === undefined ? sayFraction(fraction) : signed(fraction.sign, half);
    const isNamed = above === '1' && digits === undefined && isBehind(place, behindArticle);
    const said = isNamed ? full?.replace(one, '') : full;
    if (said === undefined || unit === undefined) return said;
    if (unit.of.id === 'percent') return percent(said);
    const behind = isHalf && digits !== undefined ? withHalfBehind(digits, unit) : undefined;
    if (behind !== undefined) return behind;
    // "a quarter of a liter"
    const isPart = digits === undefined && (own.halves !== undefined || own.partOf !== undefined);
    const pattern = nounPattern(unit.of.id, { first: isPart ? { whole: '1' } : { whole: '0', fraction: '5' } });
    const of = isPart && parts[below] !== undefined && own.partOf !== undefined ? `${said} ${own.partOf}` : said;
    const isSaid = unit.per === undefined && unit.of.power === undefined && pattern !== undefined;
    return isSaid ? withPattern(pattern, of) : undefined;
  };
}

function fractionWords(numbers: NumberWords, known: Readonly<Record<string, string>>, masculineHalf?: string) {
  const { own, join, whole, signed } = numbers;
  return ({ sign, whole: digits, above, below }: Omit<Meaning<'fraction'>, 'kind' | 'unit'>): string | undefined => {
    const mixed = (part: string): string => {
      if (digits === undefined) return signed(sign, part);
      const said = whole(digits);
      return signed(sign, own.mixed === undefined ? join(said, own.and ?? '', part) : fill(own.mixed, said, part));
    };
    const denominator = Number(below);
    const isProper = Number(above) < denominator && Number(above) > 0;
    const part = isSaidPart(denominator)
      ? own.part?.((form) => numbers.spellOut(form, denominator), denominator)
      : undefined;
    const parts = isProper ? (known[below] ?? part) : undefined;
    if (parts !== undefined) {
      const gender = own.partGender ?? (/a(?:\||$)/.test(parts) ? 'feminine' : 'masculine');
      const said = Number(above) <= Number(own.partsAlone ?? 0) ? '' : whole(above, numbers.formOf(gender));
      const named = numbers.agreeing(parts, { whole: above }, '');
      return mixed(own.partBelowFirst ? join(named, said) : join(said, named));
    }
    const [, demi] = /^un (demi)$/.exec(own.half ?? '') ?? ['', masculineHalf];
    const isHalf = above === '1' && below === '2';
    if (isHalf && digits !== undefined && own.and !== undefined && demi !== undefined) return mixed(demi);
    if (isHalf && own.half !== undefined) return mixed(own.half);
    if (own.over === undefined) return undefined;
    const [first, last] = own.fractionOrder === 'below first' ? [below, above] : [above, below];
    return mixed(join(whole(first), own.over, whole(last)));
  };
}
