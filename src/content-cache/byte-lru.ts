/** Values by key in bounded memory: the least recently used leave first. */
export function createByteLru<Value>(maxBytes: number, bytesOf: (value: Value) => number) {
  // A map keeps the order of insertion: the last key is the most recently used.
  const values = new Map<string, Value>();
  let bytes = 0;

  function remove(key: string): Value | undefined {
    const value = values.get(key);
    if (value === undefined) return undefined;
    values.delete(key);
    bytes -= bytesOf(value);
    return value;
  }

  /** A value larger than the limit is not kept. */
  function set(key: string, value: Value): void {
    remove(key);
    values.set(key, value);
    bytes += bytesOf(value);
    for (const oldest of values.keys()) {
      if (bytes <= maxBytes) return;
      remove(oldest);
    }
  }

  return {
    get(key: string): Value | undefined {
      const value = remove(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    /** Size of all values. */
    bytes: (): number => bytes,
  };
}
