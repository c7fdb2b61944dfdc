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
  const found = names.find((name) => areSwapped(given, name)) ?? closestMatch(given, names, { maxDistance });
  return found === undefined ? '' : `; did you mean ${JSON.stringify(found)}?`;
}

/** Whether two neighbours have changed places, such as in "txet": two edits, but one slip. */
function areSwapped(one: string, other: string): boolean {
  if (one.length !== other.length || one === other) return false;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}
