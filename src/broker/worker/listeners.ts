/** Checks which tasks of a worker still have a listener, in one round trip for all. */

import { waitFor } from '../../cancellation.ts';
import { SvcError } from '../../errors.ts';
import type { RedisClient } from '../shared/connection.ts';
import type { BrokerKeys } from '../shared/keys.ts';

export type Listeners = ReturnType<typeof createListeners>;
export type Listener = ReturnType<Listeners['watch']>;

/** Polling intervals: normally, and while a task waits for room. */
const calmMilliseconds = 200;
const busyMilliseconds = 25;
/** How long a listener that reads nothing keeps a slot that others wait for. */
const patienceMilliseconds = 2_000;

interface Watched {
  readonly controller: AbortController;
  most: number;
  /** Start of the wait for room. */
  since: number;
  wake: ((outcome: 'room' | 'outstayed') => void) | undefined;
}

/** @param isFull whether the worker has no free slot */
export function createListeners(redis: RedisClient, keys: BrokerKeys, isFull: () => boolean) {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const all = [...watched];
    const full = all.filter(([, { wake }]) => wake !== undefined);
    // Usually, no listener has left or waits for room; one command shows that.
    if (full.length === 0 && (await countStreams(all.map(([task]) => task))) === all.length) return schedule();
    await lookAt(all);
    schedule();
  }

  /** Undefined while the broker is unreachable. */
  const countStreams = (tasks: readonly string[]): Promise<number | undefined> =>
    redis.exists(...tasks.map(keys.audio)).catch(() => undefined);

  async function lookAt(tasks: readonly (readonly [string, Watched])[]): Promise<void> {
    const batch = redis.pipeline();
    for (const [task] of tasks) batch.xlen(keys.audio(task));
    batch.llen(keys.waiting('whole'));
    batch.zcard(keys.prioritized('whole'));
    // Null while the broker is unreachable: nothing changes.
    const replies = await batch.exec().catch(() => null);
    tasks.forEach(([, entry], index) => {
      const length = replies?.[index]?.[1];
      // A live stream holds at least the entry that was read last.
      if (length === 0) entry.controller.abort(new SvcError('CANCELLED', 'the listener has left'));
      if (typeof length === 'number' && length - 1 < entry.most) entry.wake?.('room');
    });
    const [unnamed = 0, ranked = 0] = (replies ?? []).slice(tasks.length).map(([, count]) => Number(count));
    makeRoom(unnamed + ranked);
  }

  /** Drops the tasks whose listeners have read nothing for the longest time. */
  function makeRoom(waiting: number): void {
    if (waiting === 0 || !isFull()) return;
    const end = performance.now() - patienceMilliseconds;
    const stalled = [...watched.values()].filter(({ wake, since }) => wake !== undefined && since <= end);
    stalled.sort((a, b) => a.since - b.since);
    for (const { wake } of stalled.slice(0, waiting)) wake?.('outstayed');
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (watched.size === 0) return;
    const isBusy = [...watched.values()].some(({ wake }) => wake !== undefined);
    timer = setTimeout(() => void look(), isBusy ? busyMilliseconds : calmMilliseconds);
  }

  return {
    watch(task: string) {
      const entry: Watched = { controller: new AbortController(), most: 1, since: 0, wake: undefined };
      const signal: AbortSignal = entry.controller.signal;
      watched.set(task, entry);
      if (timer === undefined) schedule();
      return {
        /** Aborted when no listener is left. */
        signal,
        /**
         * Resolves when fewer than `most` pieces are unread or the signal is aborted. `outstayed`: nothing was read for a while
         * and other tasks are waiting for the slot.
         */
        room(most: number): Promise<'room' | 'outstayed'> {
          const begin = (resolve: (outcome: 'room' | 'outstayed') => void): void => {
            Object.assign(entry, { most, since: performance.now(), wake: resolve });
            schedule();
          };
          const end = (): void => {
            entry.wake = undefined;
          };
          return waitFor(signal, begin, end).catch(() => 'room');
        },
        stop(): void {
          entry.wake?.('room');
          watched.delete(task);
        },
      };
    },
    close(): void {
      watched.clear();
      schedule();
    },
  };
}
