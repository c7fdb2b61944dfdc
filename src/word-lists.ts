/** Tables of what words mean, written as the words of each meaning. */

/** @param lists words of each meaning, with white space between them */
export const meaningOf = <const Lists extends Readonly<Record<string, string>>>(
  lists: Lists,
): ReadonlyMap<string, keyof Lists & string> =>
  new Map(
    Object.entries(lists).flatMap(([meaning, words]) => words.split(/\s+/).map((word) => [word, meaning] as const)),
  );
