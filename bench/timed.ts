/** A result and the milliseconds that it took. */
export async function timed<Value>(work: () => Promise<Value>): Promise<readonly [Value, number]> {
  const started = performance.now();
  const value = await work();
  return [value, performance.now() - started];
}
