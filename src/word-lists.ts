/** Tables of what words mean, written as the words of each meaning. */

/** @param lists words of each meaning, with white space between them */
export const meaningOf = <Meaning extends string>(
  lists: Readonly<Partial<Record<Meaning, string>>>,
): ReadonlyMap<string, Meaning> =>
  new Map(
    (Object.entries(lists) as [Meaning, string][]).flatMap(([meaning, words]) =>
      words.split(/\s+/).map((word) => [word, meaning] as const),
    ),
  );
