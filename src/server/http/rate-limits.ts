import type { ApiKey } from './api-keys.ts';

const windowSeconds = 60;

export type RateLimits = ReturnType<typeof createRateLimits>;
export type RateState = NonNullable<ReturnType<RateLimits['count']>>;

interface Window {
  requests: number;
  /** In seconds of `now`. */
  readonly end: number;
}

/** @param now seconds of a clock that nobody sets: a wall clock that is set back would keep keys out for as long */
export function createRateLimits(now: () => number = () => performance.now() / 1000) {
  /** Windows by name of the key and number of requests, as a key's limit may change; the one that ends first is first. */
  const windows = new Map<string, Window>();
  const nameOf = ({ name, rateLimit }: ApiKey): string => `${rateLimit} ${name}`;

  function forgetEnded(): void {
    for (const [name, { end }] of windows) {
      if (end > now()) return;
      windows.delete(name);
    }
  }

  return {
    /** Counts a request; undefined for a key without limit. */
    count(key: ApiKey) {
      const { rateLimit: limit } = key;
      if (limit === undefined) return undefined;
      forgetEnded();
      const window = windows.get(nameOf(key)) ?? { requests: 0, end: now() + windowSeconds };
      windows.set(nameOf(key), window);
      const isExceeded = window.requests >= limit;
      if (!isExceeded) window.requests += 1;
      /** Until all requests are available again. */
      const resetSeconds = Math.max(1, Math.ceil(window.end - now()));
      return { limit, remaining: limit - window.requests, resetSeconds, isExceeded };
    },
    /** Takes back a request that was refused before anything was computed. */
    refund(key: ApiKey): void {
      const window = windows.get(nameOf(key));
      if (window !== undefined && window.requests > 0) window.requests -= 1;
    },
  };
}
