/** Numbers, percentages and measures in words. */
import type { Sayings } from '../language.ts';
import { numberOf } from '../numerals.ts';
import { isNext } from '../place.ts';
import type { DateWords } from './date-words.ts';
import type { NumberWords } from './number-words.ts';
import type { UnitWords } from './unit-words.ts';

export function amountSayings(numbers: NumberWords, units: UnitWords, { sayYear }: DateWords) {
  const { own, join, say, whole, range, sayAmount } = numbers;
  const linked = (said: string, text: string, end: number): string =>
    own.linker !== undefined && isNext(text, end, /\s\p{L}/uy) ? own.linker(said) : said;
  return {
    cardinal({ amount }, place, end) {
      const { first, last, magnitude } = amount;
      const { text } = place;
      const isWhole = first.fraction === undefined;
      const isAlone = isWhole && last === undefined;
      const number = numberOf(last ?? first);
      const counted =
        magnitude === undefined && isWhole ? own.counted?.(place, end, number, last !== undefined) : undefined;
      if (counted !== undefined)
        return sayAmount(amount, counted) + (own.spaceBehindCount && !isNext(text, end, /\s/y) ? ' ' : '');
      const isYear = isAlone && typeof own.yearForm === 'function' && /^[12]\d{3}$/.test(first.whole);
      if (isYear && own.yearForm(place, end) !== undefined) return sayYear(first.whole, place, end);
      const isHundreds = isAlone && !first.grouped && /^1[1-9]\d\d$/.test(first.whole);
      const ofHundreds = isHundreds ? own.countedYears : undefined;
      return linked(sayAmount(amount, ofHundreds ?? numbers.inCase(amount, place, end)), text, end);
    },
    ordinal({ first, last, mark = '' }, place, end) {
      const form = numbers.ordinalForm(mark.trim(), place);
      const said = whole(first, form);
      return last === undefined ? (own.ordinalWord?.(said, mark, place, end) ?? said) : range(said, whole(last, form));
    },
    percent({ amount, mark }, place, end) {
      const unit = mark === '‰' ? 'permille' : 'percent';
      const form = numbers.genitive(amount, place, end);
      const pattern = units.nounPattern(unit, amount, form);
      if (pattern !== undefined && !/[%‰٪]/.test(pattern))
        return units.withPattern(pattern, sayAmount(amount, form ?? numbers.formOf(units.genderOf(unit))));
      return own.percent && join(sayAmount(amount), mark === '‰' ? '‰' : own.percent);
    },
    measure({ amount, unit }, place, end) {
      // `04h`
      const isPadded = /^0\d$/.test(amount.first.whole) && /^(?:hour|minute|second)$/.test(unit.of.id);
      const counted = isPadded ? { ...amount, first: { whole: amount.first.whole.slice(1) } } : amount;
      return units.sayUnit(counted, unit, numbers.genitive(amount, place, end));
    },
    measures: ({ parts }) => {
      const said = parts.map(([number, unit]) => units.sayUnit({ first: number }, { of: { id: unit } }));
      return said.includes(undefined) ? undefined : said.join(' ');
    },
    ratio({ numbers: written }) {
      const { gap, to } = numbers;
      const ofRange = own.isUnspaced ? ':' : ` ${to} `;
      const ofScore = own.score === '' ? gap : `${gap}${own.score}${gap}`;
      return written.map((number) => say(number)).join(own.score === undefined ? ofRange : ofScore);
    },
    dimensions({ numbers: written, unit }) {
      const { by } = own;
      const last = written.at(-1);
      if (by === undefined || last === undefined) return undefined;
      const end = unit === undefined ? say(last) : units.sayUnit({ first: last }, unit);
      return end && join(...written.slice(0, -1).flatMap((number) => [say(number), by]), end);
    },
    multiplier: ({ amount }) => own.times && join(sayAmount(amount), own.times),
  } satisfies Partial<Sayings>;
}
