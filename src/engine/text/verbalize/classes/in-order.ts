/** Classes of amounts, numbers and signs in the order in which all languages look for them, behind dates and names. */
import type { SemioticClass } from '../language.ts';
import { betweenValues } from './between-values.ts';
import { hyphens, letterPairs, versions } from './identifiers.ts';
import { operators, powers } from './maths.ts';
import { dimensions, marks, matchMinutes, measures } from './measures.ts';
import { money } from './money.ts';
import { cardinals, fractionRanges, fractions, itemNumbers, multipliers, percentages, ratios } from './numbers.ts';
import { durations } from './times.ts';

/** Classes of a language: of amounts, of ordinals, of signs, and of what is less than these. */
type Own = Readonly<Record<'amounts' | 'ordinals' | 'signs' | 'others', readonly SemioticClass[]>>;

export const numbersInOrder = ({ amounts = [], ordinals = [], signs = [], others = [] }: Partial<Own>) => [
  ...[versions, letterPairs],
  ...[money, percentages, matchMinutes, marks, durations, measures, dimensions, multipliers, ...amounts],
  ...[...ordinals, fractions, fractionRanges, ...signs, operators, powers, ...others, betweenValues],
  ...[ratios, itemNumbers, cardinals, hyphens],
];
