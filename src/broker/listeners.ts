/** Who still listens to the tasks of a worker, looked at in one round trip for all of them. */
import type { Redis } from 'ioredis';
import { SvcError } from '../errors.ts';
import type { BrokerKeys } from './keys.ts';

export interface Listener {
  /** Fires when nobody listens any more. */
  readonly signal: AbortSignal;
  /** Resolves when fewer pieces than that wait to be heard, or the signal fires. */
  room(most: number): Promise<void>;
  stop(): void;
}

export interface Listeners {
  watch(task: string): Listener;
  close(): void;
}

/** How often is looked, and how often while somebody waits for room. */
const calmMilliseconds = 200;
const busyMilliseconds = 25;

interface Watched {
  readonly controller: AbortController;
  most: number;
  wake: (() => void) | undefined;
}

export function createListeners(redis: Redis, keys: BrokerKeys): Listeners {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const tasks = [...watched];
    const batch = redis.pipeline();
    for (const [task] of tasks) batch.xlen(keys.audio(task));
    // While the broker is away there is nothing to be learnt.
    const replies = await batch.exec().catch(() => null);
    tasks.forEach(([, entry], index) => {
      const length = replies?.[index]?.[1];
      // A stream that is there holds what was heard last.
      if (length === 0) entry.controller.abort(new SvcError('CANCELLED', 'nobody listens any more'));
      if (typeof length === 'number' && length - 1 < entry.most) entry.wake?.();
    });
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (watched.size === 0) return;
    const isBusy = [...watched.values()].some(({ wake }) => wake !== undefined);
    timer = setTimeout(() => void look(), isBusy ? busyMilliseconds : calmMilliseconds);
  }

  return {
    watch(task) {
      const entry: Watched = { controller: new AbortController(), most: 1, wake: undefined };
      const { signal } = entry.controller;
      watched.set(task, entry);
      if (timer === undefined) schedule();
      return {
        signal,
        room: (most) =>
          new Promise((resolve) => {
            const done = (): void => {
              entry.wake = undefined;
              signal.removeEventListener('abort', done);
              resolve();
            };
            if (signal.aborted) return resolve();
            entry.most = most;
            entry.wake = done;
            signal.addEventListener('abort', done, { once: true });
            schedule();
          }),
        stop() {
          entry.wake?.();
          watched.delete(task);
        },
      };
    },
    close() {
      watched.clear();
      schedule();
    },
  };
}
