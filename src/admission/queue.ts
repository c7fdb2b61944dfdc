/**
 * Limits concurrent requests to the batch size; the rest wait, first come first served within each API key's share. When
 * too many wait, the next one is refused immediately.
 */

import { followSignal, waitFor } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
import { createDrain, shuttingDown } from './drain.ts';
import { removeFrom } from './remove-from.ts';
import { createRetryAdvice } from './retry-advice.ts';
import type { FairShare } from './step-turns.ts';

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
  yieldToWaiting(): Promise<void>;
  /** Whether a job waits that has had no slot yet and would get this one. */
  readonly hasNewcomers: () => boolean;
  /**
   * Gives up the slot until `wake` resolves, such as while there is nothing to speak, then lines up like `yieldToWaiting`. The
   * job must hold no memory of the engine meanwhile, as any number of jobs may wait so. @throws SvcError CANCELLED
   */
  releaseSlotUntil(wake: Promise<unknown>): Promise<void>;
  /** Total time spent in `yieldToWaiting` and `releaseSlotUntil`, in seconds. */
  readonly yieldedSeconds: () => number;
  /** Reports that the first audio was sent, which ends the deadline. */
  readonly begun?: (() => void) | undefined;
  /** Owner and weight. */
  readonly share?: FairShare | undefined;
  /** Gives the slot to the next job. Call when the work is over, however it ended. */
  release(): void;
}

export interface EnterOptions {
  /** Another name of the job, for `cancel`. */
  readonly name: string;
  /** Name of the API key; only the same owner can cancel the job. */
  readonly owner?: string | undefined;
  /** Weight of the owner: 2 gets twice as many slots as 1, the default. */
  readonly weight?: number | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** The request was admitted before, so it is refused neither by a full queue nor by a drain that has begun. */
  readonly hold?: Hold | undefined;
}

/** A request that was admitted but can't line up yet, as its model is being loaded. */
export interface Hold {
  /** Aborted when the request is canceled. */
  readonly signal: AbortSignal;
  /** The request no longer counts as waiting. */
  ready(): void;
  /** Always call it, after the request's job. A drain waits for it. */
  release(): void;
}

/** Manages the slots of this process (`createQueue`) or those of all workers of a broker. */
export interface AdmissionQueue {
  /** @throws SvcError BACKEND_UNAVAILABLE while requests are refused, however few there are */
  assertReady(): void;
  readonly active: number;
  readonly waiting: number;
  /** The job that has run longest. */
  readonly current: number | undefined;
  /** Seconds after which a refused client should retry. */
  readonly retryAfter: number;
  /**
   * Undefined if this process can carry one more request, whether or not the queue has room for it; else the seconds after
   * which the client should retry, different for each call. Costs next to nothing.
   */
  turnAway(): number | undefined;
  /** @throws SvcError QUEUE_FULL, BACKEND_UNAVAILABLE (shutting down) */
  assertRoom(): void;
  /** Admits a request that can't line up yet; it counts as waiting and can be canceled. @throws as `assertRoom` */
  hold(options: EnterOptions): Hold;
  /** Resolves when it is the job's turn. @throws as `assertRoom`; CANCELLED */
  enter(options: EnterOptions): Promise<Job>;
  /**
   * Cancels a job of an owner, running or waiting, or all of them without `which`. Returns the ids of the canceled jobs.
   */
  cancel(which?: number | string, owner?: string): readonly number[] | Promise<readonly number[]>;
  /** Admits no more jobs; resolves when none are left. After `milliseconds`, they fail with BACKEND_UNAVAILABLE. */
  drain(milliseconds?: number): Promise<void>;
}

interface QueuedJob {
  readonly id: number;
  readonly name: string;
  readonly owner: string | undefined;
  readonly weight: number;
  readonly lifetime: ReturnType<typeof followSignal>;
  /** Called when its turn comes. */
  begin: () => void;
  readonly release: (reason?: SvcError) => void;
}

/** Started jobs each hold an engine session, whether they run, are paused or yielding. */
const mostBegun = (slots: number): number => 4 * slots;

export function createQueue({ slots, maxWaiting }: QueueOptions): AdmissionQueue {
  const active = new Map<number, QueuedJob>();
  /** Active jobs without a slot, longest paused first. */
  const paused = new Set<QueuedJob>();
  /** New jobs, and jobs that yielded; both in order of arrival. */
  const fresh: QueuedJob[] = [];
  const yielding: QueuedJob[] = [];
  let turn: 'fresh' | 'yielding' = 'fresh';
  const begun = new Set<QueuedJob>();
  const resting = new Set<QueuedJob>();
  /** Admitted requests that are not in line, and those of them that still can't be. */
  const held = new Set<Pick<QueuedJob, 'id' | 'name' | 'owner' | 'lifetime'>>();
  const preparing = new Set<Pick<QueuedJob, 'id' | 'name' | 'owner' | 'lifetime'>>();
  const drain = createDrain(() => active.size + fresh.length + yielding.length + resting.size + held.size === 0);
  const advice = createRetryAdvice();
  let lastId = 0;

  function assertRoom(): void {
    drain.assertOpen();
    const free = Math.max(0, slots - (active.size - paused.size));
    const waiting = fresh.length + preparing.size;
    if (waiting >= maxWaiting + free) {
      const counts = `${active.size + yielding.length} running, ${waiting} waiting`;
      throw new SvcError('QUEUE_FULL', `the queue is full (${counts}); retry later`);
    }
  }

  const mayBegin = (): boolean => fresh.length > 0 && begun.size < mostBegun(slots);
  const isAwaited = (): boolean => mayBegin() || yielding.length > 0;

  /** The new job whose owner has begun the fewest for its weight; of these, the one that has waited longest. */
  function fairest(): QueuedJob {
    const shares = new Map<string | undefined, number>();
    for (const { owner, weight } of begun) shares.set(owner, (shares.get(owner) ?? 0) + 1 / weight);
    const shareOf = ({ owner }: QueuedJob): number => shares.get(owner) ?? 0;
    return fresh.reduce((best, entry) => (shareOf(entry) < shareOf(best) ? entry : best));
  }

  /** Takes the next job from its line; requires `isAwaited()`. */
  function nextInLine(): QueuedJob {
    const line = mayBegin() && (turn === 'fresh' || yielding.length === 0) ? fresh : yielding;
    turn = line === fresh ? 'yielding' : 'fresh';
    const next = line === fresh ? fairest() : (line[0] as QueuedJob);
    removeFrom(line, next);
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
  function waitForTurn(entry: QueuedJob, line: QueuedJob[]): Promise<void> {
    const { signal } = entry.lifetime;
    const begin = (resolve: () => void): void => {
      entry.begin = resolve;
      line.push(entry);
      advance();
    };
    return waitFor(signal, begin, () => {
      removeFrom(line, entry);
      if (signal.aborted) entry.release();
    });
  }

  function hold({ name, owner, signal }: EnterOptions): Hold {
    assertRoom();
    lastId += 1;
    const entry = { id: lastId, name, owner, lifetime: followSignal(signal) };
    held.add(entry);
    preparing.add(entry);
    const ready = (): void => {
      preparing.delete(entry);
      entry.lifetime.detach();
    };
    return {
      signal: entry.lifetime.signal,
      ready,
      release() {
        ready();
        held.delete(entry);
        drain.settle();
      },
    };
  }

  async function enter({ name, owner, weight = 1, signal, hold: earlier }: EnterOptions): Promise<Job> {
    if (earlier === undefined) assertRoom();
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
      resting.delete(entry);
      lifetime.detach();
      // Aborts whatever the job left behind.
      lifetime.end(reason);
      advance();
    };
    const entry: QueuedJob = { id, name, owner, weight, lifetime, begin: () => undefined, release };
    const pause = (): void => {
      if (!active.has(id)) return;
      paused.add(entry);
      advance();
    };
    const resume = (): void => void paused.delete(entry);
    const leaveSlot = async (wait: () => Promise<void>): Promise<void> => {
      if (!active.delete(id)) return;
      paused.delete(entry);
      const since = performance.now();
      // Give the slot away before waiting for it again.
      advance();
      await wait().finally(() => {
        yielded += (performance.now() - since) / 1000;
      });
    };
    const yieldToWaiting = async (): Promise<void> => {
      if (isAwaited()) await leaveSlot(() => waitForTurn(entry, yielding));
    };
    const releaseSlotUntil = async (wake: Promise<unknown>): Promise<void> => {
      if (!active.has(id)) return;
      begun.delete(entry);
      resting.add(entry);
      await leaveSlot(async () => {
        await wake;
        resting.delete(entry);
        await waitForTurn(entry, yielding);
      });
    };
    await waitForTurn(entry, fresh);
    ended = advice.begin();
    const yieldedSeconds = (): number => yielded;
    return {
      id,
      signal: lifetime.signal,
      pause,
      resume,
      yieldToWaiting,
      hasNewcomers: mayBegin,
      releaseSlotUntil,
      yieldedSeconds,
      release: () => release(),
    };
  }

  const everyone = () => [...active.values(), ...yielding, ...fresh, ...resting, ...preparing];

  function cancel(which?: number | string, owner?: string): readonly number[] {
    const chosen = everyone().filter(
      (entry) => entry.owner === owner && (which === undefined || which === entry.id || which === entry.name),
    );
    for (const { lifetime } of chosen) lifetime.end(new SvcError('CANCELLED', 'canceled by a cancel request'));
    return chosen.map(({ id }) => id);
  }

  const endAll = (): void => {
    for (const { lifetime } of everyone()) lifetime.end(shuttingDown());
  };

  return {
    get active() {
      return active.size;
    },
    get waiting() {
      return fresh.length + yielding.length + preparing.size;
    },
    get current() {
      return active.keys().next().value;
    },
    // A request that waits for a slot here costs little.
    turnAway: () => undefined,
    get retryAfter() {
      return advice.secondsFor(fresh.length + yielding.length + preparing.size, slots);
    },
    assertReady: drain.assertOpen,
    assertRoom,
    hold,
    enter,
    cancel,
    drain: (milliseconds) => drain.begin(milliseconds, endAll),
  };
}

const unread = (): SvcError => new SvcError('CANCELLED', 'client too slow: read nothing while other requests waited');
