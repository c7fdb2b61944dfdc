import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../errors.ts';
import type { Refusal } from './hub-request.ts';

export interface Patience {
  /** Maximum number of consecutive failures without progress. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubles with each further one. */
  readonly firstDelay: number;
  /** Milliseconds without data after which a connection counts as lost. */
  readonly stallTimeout: number;
}

export const defaultPatience: Patience = { attempts: 5, firstDelay: 500, stallTimeout: 60_000 };

const longestDelay = 30_000;

/** Limits retries with a server that sends a few bytes and hangs up. */
const maxAttempts = 100;

/**
 * Runs `task` until it succeeds or fails permanently. The delay between attempts doubles, with random jitter so that
 * clients do not return together after an outage.
 *
 * @param progress grows with the progress of the task; growth resets the count of failures
 */
export async function retrying<Result>(
  task: () => Promise<Result>,
  { attempts, firstDelay }: Patience,
  signal: AbortSignal | undefined,
  progress: () => number = () => 0,
): Promise<Result> {
  let failures = 0;
  for (let attempt = 1; ; attempt += 1) {
    const before = progress();
    try {
      return await task();
    } catch (error) {
      failures = progress() > before ? 1 : failures + 1;
      if (signal?.aborted || failures >= attempts || attempt >= maxAttempts) throw error;
      const refusal = passing(error, progress() > 0);
      if (refusal === undefined) throw error;
      const backoff = firstDelay * 2 ** (failures - 1) * (0.5 + Math.random() / 2);
      const delay = Math.max(backoff, (refusal.retryAfterSeconds ?? 0) * 1000);
      await sleep(Math.min(delay, longestDelay), undefined, { signal });
    }
  }
}

/** The refusal if it is temporary: an unresolved host name is permanent at first contact only. */
function passing(error: unknown, hasProgress: boolean): Refusal | undefined {
  if (!(error instanceof SvcError) || error.code !== 'NETWORK') return undefined;
  const refusal = (error.cause ?? {}) as Refusal;
  const isUnreachable = refusal.error !== undefined;
  return refusal.permanent && !(hasProgress && isUnreachable) ? undefined : refusal;
}
