/** Patterns shared by the English rules. */
import type { Surroundings } from './rules.ts';

/** Not inside a word or a longer number. */
export const start = String.raw`(?<![\p{L}\p{N}_]|\d[.,:/-])`;
export const stop = String.raw`(?![\p{L}\p{N}_]|[.,:/]\d)`;

/** Removes leading zeros. */
export const digitsOf = (text = ''): string => String(Number(text));

/** Keeps the period of an abbreviation if it also ends the sentence. */
export const fullStop = (match: string, { after }: Surroundings): string =>
  match.endsWith('.') && /^\s*(?:$|\s["'(]?\p{Lu})/u.test(after) ? '.' : '';
