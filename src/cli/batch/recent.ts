/** Caches the values of the `limit` most recently used keys, failures too. Concurrent calls share one computation. */
export function rememberRecent<Value>(
  limit: number,
  make: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const values = new Map<string, Promise<Value>>();
  return (key) => {
    const value = values.get(key) ?? make(key);
    // A map keeps the order of insertion: the last key is the most recently used.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
