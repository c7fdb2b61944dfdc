/** Numbers, fractions, percentages and measures in words. */
import type { Sayings } from '../language.ts';
import { numberOf } from '../numerals.ts';
import { isBehind, isNext } from '../place.ts';
import type { Meaning } from '../semiotic.ts';
import type { DateWords } from './date-words.ts';
import type { NumberWords } from './number-words.ts';
import type { UnitWords } from './unit-words.ts';

type Amounts =
  | 'cardinal'
  | 'ordinal'
  | 'fraction'
  | 'percent'
  | 'measure'
  | 'measures'
  | 'ratio'
  | 'dimensions'
  | 'multiplier';

export function amountSayings(
  numbers: NumberWords,
  { genderOf, nounPattern, withPattern, sayUnit }: UnitWords,
  { sayYear }: DateWords,
): Pick<Sayings, Amounts> {
  const { own, gap, isUnspaced, join, whole, say, ordinalForm } = numbers;
  const { signed, range, sayAmount, inCase, genitive, formOf } = numbers;
  const sayFraction = fractionWords(numbers);
  const behindArticle = new RegExp(String.raw`(?<!\p{L})(?:${own.articles ?? '(?!)'})\s$`, 'iu');
  return {
    cardinal({ amount }, place, end) {
      const { first, last } = amount;
      const { text } = place;
      const counted =
        amount.magnitude === undefined
          ? own.counted?.(text, end, numberOf(last ?? first), last !== undefined)
          : undefined;
      if (counted !== undefined && first.fraction === undefined) {
        const isJoined = own.spaceBehindCount && !isNext(text, end, /\s/y);
        return sayAmount(amount, counted) + (isJoined ? ' ' : '');
      }
      const year =
        typeof own.yearForm === 'function' &&
        /^[12]\d{3}$/.test(first.whole) &&
        first.fraction === undefined &&
        last === undefined
          ? own.yearForm(place, end)
          : undefined;
      if (year !== undefined) return sayYear(first.whole, place, end);
      const hundreds =
        own.countedYears !== undefined && last === undefined && !first.grouped && /^1[1-9]\d\d$/.test(first.whole);
      const said = sayAmount(
        amount,
        hundreds && first.fraction === undefined ? own.countedYears : inCase(amount, place, end),
      );
      return own.linker !== undefined && isNext(text, end, /\s\p{L}/uy) ? own.linker(said) : said;
    },
    ordinal: ({ first, last, mark = '' }, place, end) => {
      const form = ordinalForm(mark.trim(), place);
      const said = whole(first, form);
      return last === undefined
        ? (own.ordinalWord?.(said, mark, place, end) ?? said)
        : range(whole(first, form), whole(last, form));
    },
    fraction({ unit, ...fraction }, place, end) {
      const { above, below, whole: digits } = fraction;
      const gender = genderOf(unit?.of.id ?? '');
      const isHalf = above === '1' && below === '2' && digits === undefined;
      const noun = own.halfNoun?.(place.text, end);
      const half = own.halves?.[(unit === undefined ? noun : gender) as 'masculine'] ?? own.halves?.any;
      const full = isHalf && half !== undefined ? signed(fraction.sign, half) : sayFraction(fraction);
      const isNamed = above === '1' && digits === undefined && isBehind(place, behindArticle);
      const said = isNamed ? full?.replace(/^(?:une?|uno|um|eine?|een|en|et|én) /u, '') : full;
      if (said === undefined || unit === undefined) return said;
      const counted = digits === undefined ? undefined : nounPattern(unit.of.id, { first: { whole: digits } });
      if (
        own.halfBehind !== undefined &&
        counted !== undefined &&
        above === '1' &&
        below === '2' &&
        unit.per === undefined
      )
        return `${withPattern(counted, whole(digits ?? '', formOf(gender)))} ${own.halfBehind[gender === 'feminine' ? gender : 'masculine']}`;
      // "a quarter of a liter"
      const isPart = digits === undefined && (own.halves !== undefined || own.partOf !== undefined);
      const pattern = nounPattern(unit.of.id, { first: isPart ? { whole: '1' } : { whole: '0', fraction: '5' } });
      const of =
        isPart && own.parts?.[below] !== undefined && own.partOf !== undefined ? `${said} ${own.partOf}` : said;
      return unit.per !== undefined || unit.of.power !== undefined || pattern === undefined
        ? undefined
        : withPattern(pattern, of);
    },
    percent({ amount, mark }, place, end) {
      const unit = mark === '‰' ? 'permille' : 'percent';
      const form = genitive(amount, place, end);
      const pattern = nounPattern(unit, amount, form);
      if (pattern === undefined || /[%‰٪]/.test(pattern)) {
        return own.percent === undefined ? undefined : join(sayAmount(amount), mark === '‰' ? '‰' : own.percent);
      }
      return withPattern(pattern, sayAmount(amount, form ?? formOf(genderOf(unit))));
    },
    measure({ amount, unit }, place, end) {
      // `04h`
      const isPadded = /^0\d$/.test(amount.first.whole) && /^(?:hour|minute|second)$/.test(unit.of.id);
      const counted = isPadded ? { ...amount, first: { whole: amount.first.whole.slice(1) } } : amount;
      return sayUnit(counted, unit, genitive(amount, place, end));
    },
    measures: ({ parts }) => {
      const said = parts.map(([number, unit]) => sayUnit({ first: number }, { of: { id: unit } }));
      return said.includes(undefined) ? undefined : said.join(' ');
    },
    ratio: ({ numbers }) =>
      numbers
        .map((number) => say(number))
        .join(
          own.score === ''
            ? gap
            : own.score !== undefined
              ? `${gap}${own.score}${gap}`
              : isUnspaced
                ? ':'
                : ` ${own.to} `,
        ),
    dimensions({ numbers, unit }) {
      if (own.by === undefined) return undefined;
      const last = numbers.at(-1) ?? { whole: '0' };
      const said = numbers
        .slice(0, -1)
        .map((number) => join(say(number), own.by ?? ''))
        .join(gap);
      const end = unit === undefined ? say(last) : sayUnit({ first: last }, unit);
      return end === undefined ? undefined : join(said, end);
    },
    multiplier: ({ amount }) => (own.times === undefined ? undefined : join(sayAmount(amount), own.times)),
  };
}

function fractionWords({ own, join, whole, signed, formOf, agreeing }: NumberWords) {
  return function sayFraction({
    sign,
    whole: digits,
    above,
    below,
  }: Omit<Meaning<'fraction'>, 'kind' | 'unit'>): string | undefined {
    const mixed = (part: string): string =>
      signed(
        sign,
        digits === undefined ? part : (own.mixed?.(whole(digits), part) ?? join(whole(digits), own.and ?? '', part)),
      );
    const isProper = Number(above) < Number(below) && Number(above) > 0;
    const parts = isProper
      ? (own.parts?.[below]?.join('|') ?? (below === '2' ? undefined : own.part?.(Number(below))))
      : undefined;
    if (parts !== undefined) {
      const gender = own.partGender ?? (/a(?:\||$)/.test(parts) ? 'feminine' : 'masculine');
      const said = Number(above) <= (own.partsAlone ?? 0) ? '' : whole(above, formOf(gender));
      const part = agreeing(parts, { whole: above }, '');
      return mixed(own.partBelowFirst ? join(part, said) : join(said, part));
    }
    const [, demi] = /^un (demi)$/.exec(own.half ?? '') ?? [own.halves?.masculine, own.halves?.masculine];
    const isHalf = above === '1' && below === '2';
    if (isHalf && digits !== undefined && own.and !== undefined && demi !== undefined) return mixed(demi);
    if (isHalf && own.half !== undefined) return mixed(own.half);
    if (own.over === undefined) return undefined;
    const part =
      own.fractionOrder === 'below first'
        ? join(whole(below), own.over, whole(above))
        : join(whole(above), own.over, whole(below));
    return mixed(part);
  };
}
