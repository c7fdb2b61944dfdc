/** Values by key that are made once, also for those who ask for one while it is made. */
import { untilAborted } from '../cancellation.ts';
import { createByteLru } from './byte-lru.ts';

type Making<Value> = { readonly value: Promise<Value>; readonly signal: AbortSignal | undefined };

/** @param maxBytes of the values that are kept; the least recently used leave first */
export function createSharedValues<Value>(maxBytes: number, bytesOf: (value: Value) => number) {
  const kept = createByteLru<Value>(maxBytes, bytesOf);
  const making = new Map<string, Making<Value>>();

  async function begin(key: string, make: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const value = make();
    making.set(key, { value, signal });
    try {
      kept.set(key, await value);
      return await value;
    } finally {
      making.delete(key);
    }
  }

  return {
    /**
     * A value from memory, from a caller that is making it, or from `make`. A failure is that of all who wait, except if the one
     * who makes it is canceled: then another of them begins anew.
     *
     * @param signal cancels `make`, and the wait for another
     */
    async get(key: string, make: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
      for (;;) {
        const known = kept.get(key);
        if (known !== undefined) return known;
        const other = making.get(key);
        if (other === undefined) return begin(key, make, signal);
        try {
          return await (signal === undefined ? other.value : untilAborted(signal, other.value));
        } catch (error) {
          if (signal?.aborted || !other.signal?.aborted) throw error;
        }
      }
    },
    /** Size of all values in memory. */
    bytes: kept.bytes,
  };
}
