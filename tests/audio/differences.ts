/** Largest and root mean square difference. */
export function differences(
  actual: Float32Array,
  expected: ArrayLike<number>,
): { readonly largest: number; readonly rms: number } {
  let largest = 0;
  let squares = 0;
  for (let index = 0; index < actual.length; index += 1) {
    const difference = Math.abs((actual[index] as number) - (expected[index] as number));
    largest = Math.max(largest, difference);
    squares += difference ** 2;
  }
  return { largest, rms: Math.sqrt(squares / actual.length) };
}
