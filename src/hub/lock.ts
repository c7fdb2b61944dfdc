/** Locks between processes. */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { followSignal } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
import { besidePath } from '../files/beside.ts';
import { makeFolder, reasonOf } from '../files/file-system.ts';

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** `refuse` throws CONFLICT if another process holds the lock. */
  readonly busy: 'wait' | 'refuse';
  /** Called once before waiting. */
  readonly onWait?: (() => void) | undefined;
}

/** In milliseconds: the lock of a killed process expires after `stale`; a live one refreshes it every `update`. */
const timing = { stale: 10_000, update: 2_000 };
const pollInterval = 200;

/** Runs `task` while holding the lock `<path>.lock`; its signal also fires if the lock is lost. @throws SvcError */
export async function withLock<Result>(
  path: string,
  { signal, busy, onWait }: LockOptions,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // Imported late, as it installs signal handlers.
  const { lock } = await import('proper-lockfile');
  await makeFolder(dirname(path));
  const lost = new AbortController();
  const acquire = () =>
    lock(path, {
      ...timing,
      realpath: false,
      lockfilePath: besidePath(path, '.lock'),
      onCompromised: (cause) => {
        lost.abort(new SvcError('CONFLICT', `another process took over the lock ${path}.lock`, { cause }));
      },
    });
  let release: (() => Promise<void>) | undefined;
  for (let waits = 0; release === undefined; waits += 1) {
    signal?.throwIfAborted();
    try {
      release = await acquire();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw notWritable(dirname(path), error);
      if (busy === 'refuse') throw new SvcError('CONFLICT', `another process is using ${path}`, { cause: error });
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
    // A lost lock belongs to another process.
    if (!lost.signal.aborted) await release();
  }
}

const notWritable = (folder: string, cause: unknown): SvcError =>
  new SvcError('IO', `cannot write to folder ${folder}: ${reasonOf(cause)}`, { cause });
