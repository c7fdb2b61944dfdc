/** Random integers below a limit, determined by the seed, so that failures are reproducible. */
export type Random = (limit: number) => number;

/**
 * @example
 * const random = createRandom(7);
 * random(6); // 0 to 5
 *
 * Source: mulberry32, public domain.
 */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** Generator of one round, so that each round can be repeated alone. */
export const createRoundRandom = (seed: number, round: number): Random =>
  createRandom(Math.imul(seed, 0x9e3779b1) ^ round);

export function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[random(values.length)] as Value;
}
