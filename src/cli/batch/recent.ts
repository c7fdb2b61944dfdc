/** Caches the values of the `limit` most recently used keys, failures too. Concurrent calls share one computation. */
export function rememberRecent<Value>(make: (key: string) => Promise<Value>, limit = 1000) {
  const values = new Map<string, Promise<Value>>();
  return (key: string): Promise<Value> => {
    const value = values.get(key) ?? make(key);
    // A map keeps the order of insertion: the last key is the most recently used.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
