/**
 * Who may use the engine: so many requests at once as share a pass over the weights, the others wait in order of
 * arrival, and when too many wait the next one is refused at once.
 */

import { SvcError } from '../errors.ts';
import { followSignal } from '../follow-signal.ts';
import { createDrain, shuttingDown } from './drain.ts';
import { createRetryAdvice } from './retry-advice.ts';

export interface QueueOptions {
  /** Requests that are served at once. */
  readonly slots: number;
  /** Requests that may wait. */
  readonly maxWaiting: number;
}

/** A request that is being served. */
export interface Job {
  readonly id: number;
  /** Fires when the job is cancelled and when it is released. */
  readonly signal: AbortSignal;
  /** Its client reads nothing: the slot goes to the next one. As many jobs may be paused as there are slots. */
  pause(): void;
  /** Its client reads again. It goes on at once, for a time beside one job more than there are slots. */
  resume(): void;
  /**
   * Lets those that wait go first, and resolves when it is this one's turn again; at once when nobody waits. Those that
   * have not begun and those that stand back get their turns in alternation. @throws SvcError CANCELLED
   */
  standBack(): Promise<void>;
  /** How long it has stood back so far. */
  readonly stoodBackSeconds: () => number;
  /** Gives the slot to the next one. To be called once the work is over, however it ended. */
  release(): void;
}

export interface EnterOptions {
  /** A second name of the job, for `cancel`. */
  readonly name: string;
  /** Fires when nobody waits for the outcome any more. */
  readonly signal: AbortSignal;
}

/** Over slots of this process (`createQueue`), or over those of many processes that a broker knows. */
export interface AdmissionQueue {
  readonly active: number;
  readonly waiting: number;
  /** The job that has been served longest. */
  readonly current: number | undefined;
  /** When a refused client may try again, in seconds. */
  readonly retryAfter: number;
  /** @throws SvcError QUEUE_FULL, BACKEND_UNAVAILABLE (shutting down) */
  assertRoom(): void;
  /** Resolves when it is this one's turn. @throws as `assertRoom`; CANCELLED */
  enter(options: EnterOptions): Promise<Job>;
  /** Ends jobs, waiting ones too; all of them when none is named. Returns those that it ended. */
  cancel(which?: number | string): readonly number[] | Promise<readonly number[]>;
  /** Lets in no more; resolves when all jobs of this server are over. After `milliseconds` they end: BACKEND_UNAVAILABLE. */
  drain(milliseconds?: number): Promise<void>;
}

interface Entry {
  readonly id: number;
  readonly name: string;
  readonly lifetime: ReturnType<typeof followSignal>;
  /** Its turn has come. */
  begin: () => void;
  readonly release: (reason?: SvcError) => void;
}

/** Jobs that have begun hold a session of the engine each, whether they are served, paused or stand back. */
const mostBegun = (slots: number): number => 4 * slots;

export function createQueue({ slots, maxWaiting }: QueueOptions): AdmissionQueue {
  const active = new Map<number, Entry>();
  /** Active jobs without a slot, the one that has been paused longest first. */
  const paused = new Set<Entry>();
  /** Jobs that have not begun, and those that let others go first; both wait in order. */
  const fresh: Entry[] = [];
  const standing: Entry[] = [];
  let turn: 'fresh' | 'standing' = 'fresh';
  const begun = new Set<Entry>();
  const drain = createDrain(() => active.size + fresh.length + standing.length === 0);
  const advice = createRetryAdvice();
  let lastId = 0;

  function assertRoom(): void {
    drain.assertOpen();
    if (active.size - paused.size >= slots && fresh.length >= maxWaiting) {
      const received = `${active.size + standing.length} at work and ${fresh.length} waiting`;
      throw new SvcError('QUEUE_FULL', `expected room in the queue for a request, received ${received}`);
    }
  }

  const mayBegin = (): boolean => fresh.length > 0 && begun.size < mostBegun(slots);
  const isAwaited = (): boolean => mayBegin() || standing.length > 0;

  /** Whose turn it is, where there is one. */
  function nextInLine(): Entry {
    const line = mayBegin() && (turn === 'fresh' || standing.length === 0) ? fresh : standing;
    turn = line === fresh ? 'standing' : 'fresh';
    const next = line.shift() as Entry;
    begun.add(next);
    return next;
  }

  function advance(): void {
    while (active.size - paused.size < slots && isAwaited()) {
      const [longest] = paused;
      // Each of them holds a session of the engine, so that there is an end to their number.
      if (active.size >= 2 * slots && longest !== undefined) {
        // Which lets the next one in.
        longest.release(unread());
        continue;
      }
      const next = nextInLine();
      active.set(next.id, next);
      next.begin();
    }
    drain.settle();
  }

  /** Resolves when the turn of this one has come. */
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

  async function enter({ name, signal }: EnterOptions): Promise<Job> {
    assertRoom();
    lastId += 1;
    const id = lastId;
    const lifetime = followSignal(signal);
    let stoodBack = 0;
    let ended = (_idleSeconds: number): void => undefined;
    const release = (reason?: SvcError): void => {
      begun.delete(entry);
      ended(stoodBack);
      ended = () => undefined;
      active.delete(id);
      paused.delete(entry);
      lifetime.detach();
      // What the job may have left behind ends here; an orderly job has nothing left.
      lifetime.end(reason);
      advance();
    };
    const entry: Entry = { id, name, lifetime, begin: () => undefined, release };
    const pause = (): void => {
      if (!active.has(id)) return;
      paused.add(entry);
      advance();
    };
    const resume = (): void => void paused.delete(entry);
    const standBack = async (): Promise<void> => {
      if (!isAwaited() || !active.delete(id)) return;
      paused.delete(entry);
      const since = performance.now();
      // The slot goes to another one before this one waits for it again.
      advance();
      await waitForTurn(entry, standing).finally(() => {
        stoodBack += (performance.now() - since) / 1000;
      });
    };
    await waitForTurn(entry, fresh);
    ended = advice.begin();
    const stoodBackSeconds = (): number => stoodBack;
    return { id, signal: lifetime.signal, pause, resume, standBack, stoodBackSeconds, release: () => release() };
  }

  function cancel(which?: number | string): readonly number[] {
    const chosen = [...active.values(), ...standing, ...fresh].filter(
      ({ id, name }) => which === undefined || which === id || which === name,
    );
    for (const { lifetime } of chosen) lifetime.end(new SvcError('CANCELLED', 'cancelled by a cancel request'));
    return chosen.map(({ id }) => id);
  }

  const endAll = (): void => {
    for (const { lifetime } of [...active.values(), ...standing, ...fresh]) lifetime.end(shuttingDown());
  };

  return {
    get active() {
      return active.size;
    },
    get waiting() {
      return fresh.length + standing.length;
    },
    get current() {
      return active.keys().next().value;
    },
    get retryAfter() {
      return advice.secondsFor(fresh.length + standing.length, slots);
    },
    assertRoom,
    enter,
    cancel,
    drain: (milliseconds) => drain.begin(milliseconds, endAll),
  };
}

const unread = (): SvcError => new SvcError('CANCELLED', 'the client read nothing while other requests waited');
