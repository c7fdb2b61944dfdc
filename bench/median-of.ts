import { median } from './statistics.ts';

/**
 * Runs of the same thing as one: numbers, also in objects, become medians; anything else is the first run's. A number
 * that some runs don't have is the median of those that have it.
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
