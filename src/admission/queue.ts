/**
 * Limits concurrent requests to the batch size; the rest wait, first come first served within each API key's share. When
 * too many wait, the next one is refused immediately.
 */
import { followSignal, type Lifetime, waitFor } from '../cancellation.ts';
import { ignore, SvcError } from '../errors.ts';
import { createDrain, shuttingDown } from './drain.ts';
import { createRetryAdvice } from './retry-advice.ts';
import type { FairShare } from './step-turns.ts';

interface QueueOptions {
  readonly slots: number;
  readonly maxWaiting: number;
}

export interface Job {
  readonly id: number;
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
  readonly share?: FairShare | undefined;
  /** Gives the slot to the next job. Call when the work is over, however it ended. */
  release(): void;
}

/** Members of a job without a slot to give up: it needs none, or belongs to the workers of a broker. */
export const slotless = {
  pause: ignore,
  resume: ignore,
  yieldToWaiting: async () => undefined,
  hasNewcomers: () => false,
  releaseSlotUntil: async (wake) => void (await wake),
  yieldedSeconds: () => 0,
} satisfies Partial<Job>;

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
  /** Cancels a job of an owner, or all of them without `which`. Returns the ids of the canceled jobs. */
  cancel(which?: number | string, owner?: string): readonly number[] | Promise<readonly number[]>;
  /** Admits no more jobs; resolves when none are left. After `milliseconds`, they fail with BACKEND_UNAVAILABLE. */
  drain(milliseconds?: number): Promise<void>;
}

/** Where an admitted job is: new, with a slot or paused, waiting for a slot again, or without need of one. */
type Place = 'fresh' | 'active' | 'yielding' | 'resting';

interface AdmittedRequest {
  readonly id: number;
  readonly name: string;
  readonly owner: string | undefined;
  readonly lifetime: Lifetime;
}

interface QueuedJob extends AdmittedRequest {
  readonly weight: number;
  place: Place | undefined;
  begin: () => void;
  /** Ends its measurement with the seconds it spent without a slot. */
  ended: (idleSeconds: number) => void;
  idleSeconds: number;
}

/** Started jobs each hold an engine session, whether they run, are paused or yielding. */
const mostBegun = (slots: number): number => 4 * slots;

export const createQueue = (options: QueueOptions): AdmissionQueue => new SlotQueue(options);

class SlotQueue implements AdmissionQueue {
  readonly #slots: number;
  readonly #maxWaiting: number;
  /** The jobs of each place, in order of arrival there. */
  readonly #jobs: Readonly<Record<Place, Set<QueuedJob>>> = {
    fresh: new Set(),
    active: new Set(),
    yielding: new Set(),
    resting: new Set(),
  };
  /** Active jobs without a slot, longest paused first. */
  readonly #paused = new Set<QueuedJob>();
  /** Jobs that hold an engine session. */
  readonly #begun = new Set<QueuedJob>();
  /** Admitted requests that are not in line, and those of them that still can't be. */
  readonly #held = new Set<AdmittedRequest>();
  readonly #preparing = new Set<AdmittedRequest>();
  readonly #drain = createDrain(() => this.#isIdle());
  readonly #advice = createRetryAdvice();
  #turn: 'fresh' | 'yielding' = 'fresh';
  #lastId = 0;

  constructor({ slots, maxWaiting }: QueueOptions) {
    this.#slots = slots;
    this.#maxWaiting = maxWaiting;
  }

  get active(): number {
    return this.#jobs.active.size;
  }

  get waiting(): number {
    return this.#jobs.fresh.size + this.#jobs.yielding.size + this.#preparing.size;
  }

  get current(): number | undefined {
    const [longest] = this.#jobs.active;
    return longest?.id;
  }

  get retryAfter(): number {
    return this.#advice.secondsFor(this.waiting, this.#slots);
  }

  /** A request that waits for a slot here costs little. */
  turnAway(): undefined {
    return undefined;
  }

  readonly assertReady = (): void => this.#drain.assertOpen();

  assertRoom(): void {
    this.#drain.assertOpen();
    const free = Math.max(0, this.#slots - this.#running());
    const waiting = this.#jobs.fresh.size + this.#preparing.size;
    if (waiting >= this.#maxWaiting + free) {
      const counts = `${this.active + this.#jobs.yielding.size} running, ${waiting} waiting`;
      throw new SvcError('QUEUE_FULL', `the queue is full (${counts}); retry later`);
    }
  }

  hold(options: EnterOptions): Hold {
    this.assertRoom();
    const request = this.#admit(options);
    this.#held.add(request);
    this.#preparing.add(request);
    const ready = (): void => {
      this.#preparing.delete(request);
      request.lifetime.detach();
    };
    return {
      signal: request.lifetime.signal,
      ready,
      release: () => {
        ready();
        this.#held.delete(request);
        this.#drain.settle();
      },
    };
  }

  async enter(options: EnterOptions): Promise<Job> {
    if (options.hold === undefined) this.assertRoom();
    const { weight = 1 } = options;
    const state = { place: undefined, begin: ignore, ended: ignore, idleSeconds: 0 };
    const job: QueuedJob = { ...this.#admit(options), weight, ...state };
    await this.#waitForTurn(job, 'fresh');
    job.ended = this.#advice.begin();
    return this.#handleOf(job);
  }

  cancel(which?: number | string, owner?: string): readonly number[] {
    const chosen = this.#everyone().filter(
      (entry) => entry.owner === owner && (which === undefined || which === entry.id || which === entry.name),
    );
    for (const { lifetime } of chosen) lifetime.end(new SvcError('CANCELLED', 'canceled by a cancel request'));
    return chosen.map(({ id }) => id);
  }

  drain(milliseconds?: number): Promise<void> {
    return this.#drain.begin(milliseconds, () => {
      for (const { lifetime } of this.#everyone()) lifetime.end(shuttingDown());
    });
  }

  #admit({ name, owner, signal }: EnterOptions): AdmittedRequest {
    this.#lastId += 1;
    return { id: this.#lastId, name, owner, lifetime: followSignal(signal) };
  }

  #everyone(): readonly AdmittedRequest[] {
    const { active, yielding, fresh, resting } = this.#jobs;
    return [...active, ...yielding, ...fresh, ...resting, ...this.#preparing];
  }

  #isIdle(): boolean {
    return this.#held.size === 0 && Object.values(this.#jobs).every((jobs) => jobs.size === 0);
  }

  #running(): number {
    return this.#jobs.active.size - this.#paused.size;
  }

  #mayBegin(): boolean {
    return this.#jobs.fresh.size > 0 && this.#begun.size < mostBegun(this.#slots);
  }

  #isAwaited(): boolean {
    return this.#mayBegin() || this.#jobs.yielding.size > 0;
  }

  #move(job: QueuedJob, place: Place | undefined): void {
    if (job.place !== undefined) this.#jobs[job.place].delete(job);
    this.#paused.delete(job);
    job.place = place;
    if (place !== undefined) this.#jobs[place].add(job);
  }

  /** The new job whose owner has begun the fewest for its weight; of these, the one that has waited longest. */
  #fairest(): QueuedJob {
    const shares = new Map<string | undefined, number>();
    for (const { owner, weight } of this.#begun) shares.set(owner, (shares.get(owner) ?? 0) + 1 / weight);
    const shareOf = ({ owner }: QueuedJob): number => shares.get(owner) ?? 0;
    return [...this.#jobs.fresh].reduce((best, job) => (shareOf(job) < shareOf(best) ? job : best));
  }

  /** The job that gets the next slot: new jobs and jobs that yielded take turns. Requires `isAwaited()`. */
  #nextInLine(): QueuedJob {
    const [longest] = this.#jobs.yielding;
    const isFresh = longest === undefined || (this.#turn === 'fresh' && this.#mayBegin());
    this.#turn = isFresh ? 'yielding' : 'fresh';
    return isFresh ? this.#fairest() : longest;
  }

  #advance(): void {
    while (this.#running() < this.#slots && this.#isAwaited()) {
      const [longest] = this.#paused;
      // Each paused job holds an engine session, so their number is bounded.
      if (this.active >= 2 * this.#slots && longest !== undefined) {
        // This calls `advance` again.
        this.#release(longest, unread());
        continue;
      }
      const next = this.#nextInLine();
      this.#begun.add(next);
      this.#move(next, 'active');
      next.begin();
    }
    this.#drain.settle();
  }

  #waitForTurn(job: QueuedJob, line: 'fresh' | 'yielding'): Promise<void> {
    const { signal } = job.lifetime;
    const begin = (resolve: () => void): void => {
      job.begin = resolve;
      this.#move(job, line);
      this.#advance();
    };
    return waitFor(signal, begin, () => {
      if (signal.aborted) this.#release(job);
    });
  }

  async #leaveSlot(job: QueuedJob, place: 'resting' | undefined, wait: () => Promise<void>): Promise<void> {
    this.#move(job, place);
    const since = performance.now();
    // Give the slot away before waiting for it again.
    this.#advance();
    await wait().finally(() => {
      job.idleSeconds += (performance.now() - since) / 1000;
    });
  }

  #release(job: QueuedJob, reason?: SvcError): void {
    this.#begun.delete(job);
    this.#move(job, undefined);
    job.ended(job.idleSeconds);
    job.ended = ignore;
    job.lifetime.detach();
    // Aborts whatever the job left behind.
    job.lifetime.end(reason);
    this.#advance();
  }

  #handleOf(job: QueuedJob): Job {
    return {
      id: job.id,
      signal: job.lifetime.signal,
      pause: () => {
        if (job.place !== 'active') return;
        this.#paused.add(job);
        this.#advance();
      },
      resume: () => void this.#paused.delete(job),
      yieldToWaiting: async () => {
        if (job.place !== 'active' || !this.#isAwaited()) return;
        await this.#leaveSlot(job, undefined, () => this.#waitForTurn(job, 'yielding'));
      },
      hasNewcomers: () => this.#mayBegin(),
      releaseSlotUntil: async (wake) => {
        if (job.place !== 'active') return;
        this.#begun.delete(job);
        await this.#leaveSlot(job, 'resting', async () => {
          await wake;
          await this.#waitForTurn(job, 'yielding');
        });
      },
      yieldedSeconds: () => job.idleSeconds,
      release: () => this.#release(job),
    };
  }
}

const unread = (): SvcError => new SvcError('CANCELLED', 'client too slow: read nothing while other requests waited');
