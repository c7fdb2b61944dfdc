/** Amounts of something, in the order in which every language looks for them. */
import type { SemioticClass } from '../language.ts';
import { dimensions, marks, matchMinutes, measures } from './measures.ts';
import { money } from './money.ts';
import { multipliers, percentages } from './numbers.ts';
import { durations } from './times.ts';

export const quantities: readonly SemioticClass[] = [
  money,
  percentages,
  matchMinutes,
  marks,
  durations,
  measures,
  dimensions,
  multipliers,
];
