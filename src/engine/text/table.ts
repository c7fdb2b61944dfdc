/** Tables of words as text, which shows more of them at a glance than an object does. */

/** @param entries `written=said`, between bars, which may end a line */
export const tableOf = (entries: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    entries
      .trim()
      .split(/\|\s*/)
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );

/** The same as a map. */
export const mapOf = (entries: string): ReadonlyMap<string, string> => new Map(Object.entries(tableOf(entries)));
