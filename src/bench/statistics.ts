/** Quantile with linear interpolation; `part` is from 0 to 1. NaN without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const [low = Number.NaN, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Median of the last quarter divided by that of the first. */
export function growth(values: readonly number[]): number {
  const quarter = Math.max(1, Math.floor(values.length / 4));
  return median(values.slice(-quarter)) / median(values.slice(0, quarter));
}

/**
 * Combines runs: numbers, also nested ones, become medians; other values are the first run's. A number that some runs
 * lack is the median of the others.
 */
export function medianOf<Value>(runs: readonly Value[]): Value {
  return combine(runs) as Value;
}

function combine(values: readonly unknown[]): unknown {
  const [first] = values;
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length > 0) return median(numbers);
  if (typeof first !== 'object' || first === null) return first;
  return Object.fromEntries(
    Object.keys(first).map((key) => [key, combine(values.map((value) => (value as Record<string, unknown>)[key]))]),
  );
}

/** Returns a result and its duration in milliseconds. */
export async function timed<Value>(work: () => Promise<Value>): Promise<readonly [Value, number]> {
  const started = performance.now();
  const value = await work();
  return [value, performance.now() - started];
}
