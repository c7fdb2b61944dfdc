/** Numbers, percentages and measures in words. */
import type { Sayings } from '../language.ts';
import { numberOf } from '../numerals.ts';
import { isNext } from '../place.ts';
import type { DateWords } from './date-words.ts';
import { fractionSaying } from './fraction-sayings.ts';
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

export function amountSayings(numbers: NumberWords, units: UnitWords, { sayYear }: DateWords): Pick<Sayings, Amounts> {
  const { genderOf, nounPattern, withPattern, sayUnit } = units;
  const { own, gap, isUnspaced, join, whole, say, ordinalForm } = numbers;
  const { range, sayAmount, inCase, genitive, formOf } = numbers;
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
    fraction: fractionSaying(numbers, units),
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
