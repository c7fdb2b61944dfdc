import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../errors.ts';
import type { Refusal } from './hub-request.ts';

export interface Patience {
  /** Failures in a row without progress before the last one is reported. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled for each further one. */
  readonly firstDelay: number;
  /** Milliseconds without a byte after which a connection counts as lost. */
  readonly stallTimeout: number;
}

export const defaultPatience: Patience = { attempts: 5, firstDelay: 500, stallTimeout: 60_000 };

const longestDelay = 30_000;

/** A server that gives a few bytes and hangs up would otherwise be asked forever. */
const mostAttempts = 100;

/**
 * Runs `task` until it succeeds, as long as it fails with a NETWORK error that may pass. The delay between attempts
 * doubles, half of it by chance so that clients of a server that was down don't come back together.
 *
 * @param progress a number that grows with what the task achieved; growth makes the count of failures start anew
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
      if (signal?.aborted || failures >= attempts || attempt >= mostAttempts) throw error;
      const refusal = passing(error, progress() > 0);
      if (refusal === undefined) throw error;
      const backoff = firstDelay * 2 ** (failures - 1) * (0.5 + Math.random() / 2);
      const delay = Math.max(backoff, (refusal.retryAfterSeconds ?? 0) * 1000);
      await sleep(Math.min(delay, longestDelay), undefined, { signal });
    }
  }
}

/** A name that does not resolve is a mistake at first contact, and a lost connection once data has come. */
function passing(error: unknown, hasProgress: boolean): Refusal | undefined {
  if (!(error instanceof SvcError) || error.code !== 'NETWORK') return undefined;
  const refusal = (error.cause ?? {}) as Refusal;
  const isUnreachable = refusal.error !== undefined;
  return refusal.permanent && !(hasProgress && isUnreachable) ? undefined : refusal;
}
