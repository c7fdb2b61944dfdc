import { closestMatch } from 'leven';

/** More edits make another name, not a misspelling. */
const maxEdits = 3;

/**
 * Ends a message about an unknown name.
 *
 * @returns `; did you mean "q4_k"?`, or nothing when no name is similar
 */
export function didYouMean(given: string, names: readonly string[]): string {
  const maxDistance = Math.min(maxEdits, Math.floor((given.length + 1) / 3));
  const found = closestMatch(given, names, { maxDistance });
  return found === undefined ? '' : `; did you mean ${JSON.stringify(found)}?`;
}
