/** What the rules of English share. */
import type { Surroundings } from './rules.ts';

/** Not in the middle of a word or of a longer number. */
export const start = String.raw`(?<![\p{L}\p{N}_]|\d[.,:/-])`;
export const stop = String.raw`(?![\p{L}\p{N}_]|[.,:/]\d)`;

/** Without zeros in front. */
export const digitsOf = (text = ''): string => String(Number(text));

/** The full stop of an abbreviation where it is also that of its sentence. */
export const fullStop = (match: string, { after }: Surroundings): string =>
  match.endsWith('.') && /^\s*(?:$|\s["'(]?\p{Lu})/u.test(after) ? '.' : '';
