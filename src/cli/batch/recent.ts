/**
 * Remembers the outcomes of the `limit` keys that were asked for last. Those who ask for one at the same time share
 * its making; a failure is remembered too, and met again by each line that shares its cause.
 */
export function rememberRecent<Value>(
  limit: number,
  make: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const values = new Map<string, Promise<Value>>();
  return (key) => {
    const value = values.get(key) ?? make(key);
    // The key that was asked for last is the last one in the order of a map.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
