/** The largest and smallest of any number of values: `Math.max(...values)` overflows the stack beyond some 100,000. */

/** @returns negative infinity for no values */
export function largest(values: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const value of values) found = Math.max(found, value);
  return found;
}

/** @returns infinity for no values */
export function smallest(values: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (const value of values) found = Math.min(found, value);
  return found;
}
