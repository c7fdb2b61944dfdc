/** Rounds a number of a report to so many decimal places. */
export const round = (value: number, digits: number): number => Number(value.toFixed(digits));
