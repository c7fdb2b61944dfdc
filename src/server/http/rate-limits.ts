import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ApiKey } from './api-keys.ts';

const windowSeconds = 60;

export interface RateState {
  readonly limit: number;
  /** Requests that are left. */
  readonly remaining: number;
  /** Seconds until all requests are available again. */
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

/** Counts the requests of each key per minute. */
export interface RateLimits {
  /** Counts a request; undefined for a key without limit. */
  count(key: ApiKey): Promise<RateState | undefined>;
  /** Takes back a request that was refused before anything was computed. */
  refund(key: ApiKey): Promise<void>;
}

export function createRateLimits(): RateLimits {
  /** By number of requests, as a key's limit may change. */
  const limiters = new Map<number, RateLimiterMemory>();
  const limiterOf = (limit: number): RateLimiterMemory => {
    const limiter = limiters.get(limit) ?? new RateLimiterMemory({ points: limit, duration: windowSeconds });
    limiters.set(limit, limiter);
    return limiter;
  };
  return {
    async count({ name, rateLimit: limit }) {
      if (limit === undefined) return undefined;
      const state = (isExceeded: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): RateState => ({
        limit,
        remaining: Math.max(0, remainingPoints),
        resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
        isExceeded,
      });
      try {
        return state(false, await limiterOf(limit).consume(name));
      } catch (error) {
        if (error instanceof RateLimiterRes) return state(true, error);
        throw error;
      }
    },
    async refund({ name, rateLimit: limit }) {
      if (limit !== undefined) await limiterOf(limit).reward(name);
    },
  };
}
