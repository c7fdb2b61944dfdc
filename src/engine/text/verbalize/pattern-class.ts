/** Classes of tokens that one pattern finds. */
import type { Place, SemioticClass } from './language.ts';
import { type Cursor, foundAt, isBehind, take } from './place.ts';
import type { Semiotic } from './semiotic.ts';

interface Where extends Omit<SemioticClass, 'find'> {
  /** Matches the text before the token: ends with `$`. */
  readonly behind?: RegExp;
  /** Whether the token may stand right behind a letter or a digit. */
  readonly isGlued?: boolean;
}

/**
 * @param pattern sticky, without a match of unbounded length
 * @param mean words or the meaning of a match; undefined for one that is no such token. The cursor is behind the match, and may
 *   be moved on.
 */
export const patternClass = (
  { behind, isGlued = false, ...where }: Where,
  pattern: RegExp,
  mean: (match: RegExpExecArray, place: Place, cursor: Cursor) => string | Semiotic | undefined,
): SemioticClass => ({
  ...where,
  find(place, cursor) {
    if ((!isGlued && !place.isBorder) || (behind !== undefined && !isBehind(place, behind))) return undefined;
    const match = take(cursor, pattern);
    const meaning = match === undefined ? undefined : mean(match, place, cursor);
    return meaning === undefined ? undefined : foundAt(cursor, typeof meaning === 'string' ? meaning : meaning);
  },
});
