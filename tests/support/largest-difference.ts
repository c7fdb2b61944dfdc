export const largestDifference = (actual: Float32Array, expected: Float32Array): number =>
  expected.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (actual[index] as number))), 0);
