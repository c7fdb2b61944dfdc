/** Values and names from outside in messages. */
import { closestMatch } from 'leven';

/** More edits make another name, not a misspelling. */
const maxEdits = 3;

/** Names of one field in different interfaces. */
const otherName: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  text: 'input',
  input: 'text',
  format: 'response_format',
};

/** The name that a misspelled one may mean. */
export function closest(given: string, names: readonly string[]): string | undefined {
  const maxDistance = Math.min(maxEdits, Math.floor((given.length + 1) / 3));
  return (
    names.find((name) => areSwapped(given, name)) ??
    closestMatch(given, names, { maxDistance }) ??
    names.find((name) => name === otherName[given])
  );
}

/** Ends a message about an unknown name. @returns `; did you mean "q4_k"?`, or nothing when no name is similar */
export function didYouMean(given: string, names: readonly string[]): string {
  const found = closest(given, names);
  return found === undefined ? '' : `; did you mean ${JSON.stringify(found)}?`;
}

/** Whether two neighbours have changed places, such as in "txet": two edits, but one slip. */
function areSwapped(one: string, other: string): boolean {
  if (one.length !== other.length || one === other) return false;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}

/**
 * Text from outside on one line, without the characters that a terminal obeys and those that reverse the order of what
 * follows.
 */
export const sanitizeLine = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();

/** A message on one line, whatever a library or a file name put into it. */
export const oneLine = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** Names that a message lists. */
export const mostListed = 8;

/** Names from outside in a message, of which there may be any number. */
export const listed = (names: readonly string[], count = names.length): string =>
  `${names.slice(0, mostListed).join(', ')}${count > mostListed ? ` and ${count - mostListed} more` : ''}`;

/** Length of a quoted text, in UTF-16 code units: any name, and almost any path. */
const longestQuote = 300;

/** A name or path from outside; of a long one the beginning and the end. */
export const quote = (text: string): string =>
  JSON.stringify(
    text.length <= longestQuote ? text : `${text.slice(0, longestQuote / 2)}…${text.slice(-longestQuote / 2)}`,
  );

/** Characters of a value that a message shows. */
export const shownLength = 40;

/** A value as messages quote it. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
  if (isPlain(value)) return `an object with ${counted(Object.keys(value).length, 'field')}`;
  if (typeof value !== 'string') return `a value of type ${typeof value}`;
  return value.length > shownLength ? `${quote(value.slice(0, shownLength))}…` : quote(value);
}

export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** The beginning of a long text from outside, without quotes. */
export const shorten = (text: string, longest = shownLength): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;
