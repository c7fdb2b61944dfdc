/** One process at a time. */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, SvcError } from '../errors.ts';
import { makeFolder } from '../files.ts';
import { followSignal } from '../follow-signal.ts';

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** `refuse` throws CONFLICT when another process has the lock. */
  readonly busy: 'wait' | 'refuse';
  /** Called once before the wait. */
  readonly onWait?: (() => void) | undefined;
}

/** A holder that was killed is succeeded after `stale`; a living one refreshes its lock far more often. Milliseconds. */
const timing = { stale: 10_000, update: 2_000 };
const pollInterval = 200;

/**
 * Runs `task` while this process holds the lock of `path` (a folder `<path>.lock`).
 *
 * @param task gets a signal that also fires when the lock is lost, as after the machine slept
 * @throws SvcError CONFLICT when another process has it, or took it; IO when its folder can't be written; CANCELLED
 */
export async function withLock<Result>(
  path: string,
  { signal, busy, onWait }: LockOptions,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // Loaded late: it watches the process's signals from then on.
  const { lock } = await import('proper-lockfile');
  await makeFolder(dirname(path));
  const lost = new AbortController();
  const acquire = () =>
    lock(path, {
      ...timing,
      realpath: false,
      onCompromised: (cause) => {
        const message = `expected to keep the lock ${path}.lock, received one that another process took`;
        lost.abort(new SvcError('CONFLICT', message, { cause }));
      },
    });
  let release: (() => Promise<void>) | undefined;
  for (let waits = 0; release === undefined; waits += 1) {
    signal?.throwIfAborted();
    try {
      release = await acquire();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw notWritable(dirname(path), error);
      if (busy === 'refuse') {
        throw new SvcError('CONFLICT', `expected no other process at work for ${path}, received one`, { cause: error });
      }
      if (waits === 0) onWait?.();
      await sleep(pollInterval, undefined, { signal });
    }
  }
  const lifetime = followSignal(signal);
  const end = (): void => lifetime.end(lost.signal.reason);
  if (lost.signal.aborted) end();
  else lost.signal.addEventListener('abort', end, { once: true });
  try {
    const result = await task(lifetime.signal);
    lost.signal.throwIfAborted();
    return result;
  } finally {
    lifetime.detach();
    // One that was lost is another process's now.
    if (!lost.signal.aborted) await release();
  }
}

const notWritable = (folder: string, cause: unknown): SvcError =>
  new SvcError('IO', `expected to write to the folder ${folder}, received ${messageOf(cause)}`, { cause });
