import { SvcError } from '../errors.ts';

export type Concurrency = ReturnType<typeof createConcurrency>;

export function createConcurrency() {
  const counts = new Map<string, number>();
  return {
    /** Counts one more request of a client. @returns what to call when it is over; idempotent @throws SvcError RATE_LIMITED */
    enter(client: string, most: number): () => void {
      const count = counts.get(client) ?? 0;
      if (count >= most) {
        const requests = most === 1 ? '1 request' : `${most} requests`;
        const problem = `this API key is limited to ${requests} at once`;
        throw new SvcError('RATE_LIMITED', `${problem}; retry when one has finished`);
      }
      counts.set(client, count + 1);
      return once(() => {
        const left = (counts.get(client) ?? 0) - 1;
        if (left > 0) counts.set(client, left);
        else counts.delete(client);
      });
    },
  };
}

/** Works at its first call; later ones get the same result. */
export function once<Result>(work: () => Result): () => Result {
  let isDone = false;
  let result: Result;
  return () => {
    if (isDone) return result;
    isDone = true;
    result = work();
    return result;
  };
}
