/** One process at a time for an output. */
import { followSignal } from '../../cancellation.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { withLock } from '../../hub/lock.ts';

/** Longer than the lock of a killed run takes to expire. */
const waitMilliseconds = 15_000;

export interface Waiting {
  readonly signal: AbortSignal;
  /** Explains to the user why nothing happens. */
  readonly note: (message: string) => void;
}

/**
 * Runs `task` while no other process holds the lock of `path`.
 *
 * @param output what the lock protects, for the message
 * @param task gets a signal that also fires when another process has taken over the lock
 * @throws SvcError CONFLICT when another process keeps the lock, IO when it can't be created
 */
export async function withExclusive<Result>(
  path: string,
  output: string,
  { signal, note }: Waiting,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lifetime = followSignal(signal);
  const refuse = (): void =>
    lifetime.end(
      new SvcError('CONFLICT', `another run is writing to ${output}; wait for it, or choose another output`),
    );
  let patience: NodeJS.Timeout | undefined;
  const lock = {
    busy: 'wait',
    signal: lifetime.signal,
    onWait: () => {
      patience = setTimeout(refuse, waitMilliseconds);
      note(`waiting for another run that writes to ${output}, or for the lock of a killed one to expire`);
    },
  } as const;
  try {
    return await withLock(path, lock, (locked) => {
      clearTimeout(patience);
      return task(locked);
    });
  } catch (error) {
    // The error of an interrupted wait has no reason.
    const { reason } = lifetime.signal;
    throw reason instanceof SvcError && toSvcError(error).code === 'CANCELLED' ? reason : error;
  } finally {
    clearTimeout(patience);
    lifetime.detach();
  }
}
