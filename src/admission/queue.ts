/**
 * Access to the engine: as many requests run at once as share a pass over the weights; others wait in order of arrival;
 * when too many wait, the next one is refused immediately.
 */

import { SvcError } from '../errors.ts';
import { followSignal } from '../follow-signal.ts';
import { createDrain, shuttingDown } from './drain.ts';
import { createRetryAdvice } from './retry-advice.ts';

export interface QueueOptions {
  /** Requests that run at once. */
  readonly slots: number;
  /** Requests that may wait. */
  readonly maxWaiting: number;
}

/** A running request. */
export interface Job {
  readonly id: number;
  /** Aborted when the job is canceled or released. */
  readonly signal: AbortSignal;
  /** Gives up the slot while the client reads nothing. At most as many jobs are paused as there are slots. */
  pause(): void;
  /** Continues immediately when the client reads again; for a while one job more than `slots` may run. */
  resume(): void;
  /**
   * Lets waiting jobs run first; resolves when it is this job's turn again, or immediately when none wait. New jobs and
   * jobs that yielded take turns. @throws SvcError CANCELLED
   */
  yieldSlot(): Promise<void>;
  /** Total time spent in `yieldSlot`, in seconds. */
  readonly yieldedSeconds: () => number;
  /** Gives the slot to the next job. Call when the work is over, however it ended. */
  release(): void;
}

export interface EnterOptions {
  /** Another name of the job, for `cancel`. */
  readonly name: string;
  /** Whose job it is; only the same owner can cancel it. */
  readonly owner?: string | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** Manages the slots of this process (`createQueue`) or those of all workers of a broker. */
export interface AdmissionQueue {
  readonly active: number;
  readonly waiting: number;
  /** The job that has run longest. */
  readonly current: number | undefined;
  /** Seconds after which a refused client should retry. */
  readonly retryAfter: number;
  /** @throws SvcError QUEUE_FULL, BACKEND_UNAVAILABLE (shutting down) */
  assertRoom(): void;
  /** Resolves when it is the job's turn. @throws as `assertRoom`; CANCELLED */
  enter(options: EnterOptions): Promise<Job>;
  /**
   * Cancels a job of an owner, running or waiting, or all of them without `which`. Returns the ids of the canceled jobs.
   */
  cancel(which?: number | string, owner?: string): readonly number[] | Promise<readonly number[]>;
  /** Admits no more jobs; resolves when none are left. After `milliseconds`, they fail with BACKEND_UNAVAILABLE. */
  drain(milliseconds?: number): Promise<void>;
}

interface Entry {
  readonly id: number;
  readonly name: string;
  readonly owner: string | undefined;
  readonly lifetime: ReturnType<typeof followSignal>;
  /** Called when its turn comes. */
  begin: () => void;
  readonly release: (reason?: SvcError) => void;
}

/** Started jobs each hold an engine session, whether they run, are paused or yielding. */
const mostBegun = (slots: number): number => 4 * slots;

export function createQueue({ slots, maxWaiting }: QueueOptions): AdmissionQueue {
  const active = new Map<number, Entry>();
  /** Active jobs without a slot, longest paused first. */
  const paused = new Set<Entry>();
  /** New jobs, and jobs that yielded; both in order of arrival. */
  const fresh: Entry[] = [];
  const yielding: Entry[] = [];
  let turn: 'fresh' | 'yielding' = 'fresh';
  const begun = new Set<Entry>();
  const drain = createDrain(() => active.size + fresh.length + yielding.length === 0);
  const advice = createRetryAdvice();
  let lastId = 0;

  function assertRoom(): void {
    drain.assertOpen();
    if (active.size - paused.size >= slots && fresh.length >= maxWaiting) {
      const counts = `${active.size + yielding.length} running, ${fresh.length} waiting`;
      throw new SvcError('QUEUE_FULL', `the queue is full (${counts}); retry later`);
    }
  }

  const mayBegin = (): boolean => fresh.length > 0 && begun.size < mostBegun(slots);
  const isAwaited = (): boolean => mayBegin() || yielding.length > 0;

  /** Takes the next job from its line; requires `isAwaited()`. */
  function nextInLine(): Entry {
    const line = mayBegin() && (turn === 'fresh' || yielding.length === 0) ? fresh : yielding;
    turn = line === fresh ? 'yielding' : 'fresh';
    const next = line.shift() as Entry;
    begun.add(next);
    return next;
  }

  function advance(): void {
    while (active.size - paused.size < slots && isAwaited()) {
      const [longest] = paused;
      // Each paused job holds an engine session, so their number is bounded.
      if (active.size >= 2 * slots && longest !== undefined) {
        // This calls `advance` again.
        longest.release(unread());
        continue;
      }
      const next = nextInLine();
      active.set(next.id, next);
      next.begin();
    }
    drain.settle();
  }

  /** Resolves when it is the entry's turn; rejects with the abort reason. */
  function waitForTurn(entry: Entry, line: Entry[]): Promise<void> {
    const { signal } = entry.lifetime;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const place = line.indexOf(entry);
        if (place >= 0) line.splice(place, 1);
        reject(signal.reason);
        entry.release();
      };
      entry.begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      line.push(entry);
      advance();
    });
  }

  async function enter({ name, owner, signal }: EnterOptions): Promise<Job> {
    assertRoom();
    lastId += 1;
    const id = lastId;
    const lifetime = followSignal(signal);
    let yielded = 0;
    let ended = (_idleSeconds: number): void => undefined;
    const release = (reason?: SvcError): void => {
      begun.delete(entry);
      ended(yielded);
      ended = () => undefined;
      active.delete(id);
      paused.delete(entry);
      lifetime.detach();
      // Aborts whatever the job left behind.
      lifetime.end(reason);
      advance();
    };
    const entry: Entry = { id, name, owner, lifetime, begin: () => undefined, release };
    const pause = (): void => {
      if (!active.has(id)) return;
      paused.add(entry);
      advance();
    };
    const resume = (): void => void paused.delete(entry);
    const yieldSlot = async (): Promise<void> => {
      if (!isAwaited() || !active.delete(id)) return;
      paused.delete(entry);
      const since = performance.now();
      // Give the slot away before waiting for it again.
      advance();
      await waitForTurn(entry, yielding).finally(() => {
        yielded += (performance.now() - since) / 1000;
      });
    };
    await waitForTurn(entry, fresh);
    ended = advice.begin();
    const yieldedSeconds = (): number => yielded;
    return { id, signal: lifetime.signal, pause, resume, yieldSlot, yieldedSeconds, release: () => release() };
  }

  function cancel(which?: number | string, owner?: string): readonly number[] {
    const chosen = [...active.values(), ...yielding, ...fresh].filter(
      (entry) => entry.owner === owner && (which === undefined || which === entry.id || which === entry.name),
    );
    for (const { lifetime } of chosen) lifetime.end(new SvcError('CANCELLED', 'canceled by a cancel request'));
    return chosen.map(({ id }) => id);
  }

  const endAll = (): void => {
    for (const { lifetime } of [...active.values(), ...yielding, ...fresh]) lifetime.end(shuttingDown());
  };

  return {
    get active() {
      return active.size;
    },
    get waiting() {
      return fresh.length + yielding.length;
    },
    get current() {
      return active.keys().next().value;
    },
    get retryAfter() {
      return advice.secondsFor(fresh.length + yielding.length, slots);
    },
    assertRoom,
    enter,
    cancel,
    drain: (milliseconds) => drain.begin(milliseconds, endAll),
  };
}

const unread = (): SvcError => new SvcError('CANCELLED', 'the client read nothing while other requests waited');
