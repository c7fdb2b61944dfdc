/** How often a new limit is looked at, in milliseconds. */
const lookMilliseconds = 500;

/**
 * Runs `work` on the items, in their order, at most `limit()` at once; takes an item only when its turn has come.
 * `work` must not reject. No item is taken after `signal` has fired.
 *
 * @param limit may change; at least 1
 */
export async function runInFlight<Item>(
  items: AsyncGenerator<Item, void, undefined>,
  limit: () => number,
  work: (item: Item) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const loops = new Set<Promise<void>>();
  let isOver = false;

  async function loop(): Promise<void> {
    while (!isOver && loops.size <= limit()) {
      const next = await items.next();
      if (next.done || signal.aborted) isOver = true;
      else await work(next.value);
    }
  }

  function fill(): void {
    while (!isOver && loops.size < limit()) {
      const running: Promise<void> = loop().finally(() => loops.delete(running));
      loops.add(running);
    }
  }

  const timer = setInterval(fill, lookMilliseconds);
  try {
    for (fill(); loops.size > 0; fill()) await Promise.race(loops);
  } finally {
    clearInterval(timer);
    isOver = true;
    await Promise.allSettled(loops);
  }
}
