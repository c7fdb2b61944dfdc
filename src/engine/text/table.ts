/** Tables of words as text, which shows more of them at a glance than an object does. */

/**
 * @param entries `written=said`, between bars, which may end a line
 * @param bar between entries, and what is between their halves, if others
 */
export const tableOf = (entries: string, bar = '|', equals = '='): Readonly<Record<string, string>> =>
  Object.fromEntries(
    entries
      .split(bar)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => [entry.slice(0, entry.indexOf(equals)), entry.slice(entry.indexOf(equals) + 1).trim()]),
  );

/** The same for signs, with a space between their halves. */
export const signsOf = (entries: string): Readonly<Record<string, string>> => tableOf(entries, '|', ' ');

/** The same as a map. */
export const mapOf = (entries: string, bar?: string): ReadonlyMap<string, string> =>
  new Map(Object.entries(tableOf(entries, bar)));
