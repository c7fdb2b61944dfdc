/** The running calls of an engine, which end with it. */
import { followSignal, type Lifetime, throwIfCanceled } from '../cancellation.ts';
import { SvcError } from '../errors.ts';

export type Lifetimes = ReturnType<typeof createLifetimes>;

export function createLifetimes() {
  const active = new Set<Lifetime>();
  let isClosed = false;

  /** @throws SvcError BACKEND_UNAVAILABLE after `close` */
  function begin(signal: AbortSignal | undefined): Lifetime {
    if (isClosed) throw new SvcError('BACKEND_UNAVAILABLE', 'the engine is closed');
    const lifetime = followSignal(signal);
    active.add(lifetime);
    return lifetime;
  }

  function end(lifetime: Lifetime): void {
    lifetime.detach();
    active.delete(lifetime);
  }

  return {
    begin,
    end,
    async during<Result>(
      outer: AbortSignal | undefined,
      work: (signal: AbortSignal) => Promise<Result>,
    ): Promise<Result> {
      const lifetime = begin(outer);
      try {
        throwIfCanceled(lifetime.signal);
        return await work(lifetime.signal);
      } finally {
        end(lifetime);
      }
    },
    close(): void {
      isClosed = true;
      for (const lifetime of active) lifetime.end(new SvcError('CANCELLED', 'canceled because the engine was closed'));
    },
  };
}
