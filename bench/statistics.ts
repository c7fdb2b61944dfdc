/** The value that a part of the values lies below, linear between neighbours; NaN without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const [low = Number.NaN, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Median of the last quarter over that of the first. */
export function growth(values: readonly number[]): number {
  const quarter = Math.max(1, Math.floor(values.length / 4));
  return median(values.slice(-quarter)) / median(values.slice(0, quarter));
}
