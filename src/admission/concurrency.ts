import { SvcError } from '../errors.ts';

/** Counts the requests of each client that are running or waiting. */
export interface Concurrency {
  /**
   * Counts one more request of a client.
   *
   * @param most requests that it may have at once
   * @returns a function to call when the request is over, however it ended; idempotent
   * @throws SvcError RATE_LIMITED
   */
  enter(client: string, most: number): () => void;
}

export function createConcurrency(): Concurrency {
  const counts = new Map<string, number>();
  return {
    enter(client, most) {
      const count = counts.get(client) ?? 0;
      if (count >= most) {
        const requests = most === 1 ? '1 request' : `${most} requests`;
        throw new SvcError(
          'RATE_LIMITED',
          `this API key is limited to ${requests} at once; retry when one has finished`,
        );
      }
      counts.set(client, count + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (counts.get(client) ?? 0) - 1;
        if (left > 0) counts.set(client, left);
        else counts.delete(client);
      };
    },
  };
}
