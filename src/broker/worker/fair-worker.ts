/** A BullMQ worker that leaves tasks to less busy workers, and takes one more than it has slots only where that is fair. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
import type { KnownVoices } from '../shared/known-voices.ts';
import type { TaskData } from '../shared/task.ts';

/** Delay of a worker with all slots in use before it takes a task, in milliseconds; many times as long as taking one. */
const hesitationMilliseconds = 40;
/** How long a task waits for a worker that knows its voice, which takes it within a round trip or two, in milliseconds. */
const handoverMilliseconds = 20;
/** How often a worker without a free slot looks at the next task, in milliseconds: less than a step takes. */
const lookMilliseconds = 25;

type PopFromAny = (
  ...keysAndTimeout: readonly (string | number)[]
) => Promise<[key: string, member: string, score: string] | null>;

/** BullMQ's worker fills all its slots at once: of eight tasks that arrive together, one worker would take all. */
export class FairWorker extends Worker<TaskData> {
  /** Running tasks. */
  private busy = 0;
  private readonly extra = new Set<Promise<unknown>>();
  private readonly leaving = new AbortController();
  private reportLoad: (load: number) => void = () => undefined;
  /** Whether another worker has left a task to this one. */
  private isInvited = false;
  /** Wakes another worker if it should take the next task. */
  private leaveNext: (load: number) => Promise<boolean> = async () => false;

  protected override async moveToActive(token: string, name?: string): Promise<Job<TaskData>> {
    if (this.isInvited) this.isInvited = false;
    else if (await this.leaveNext(this.load).catch(() => false)) await wait(handoverMilliseconds);
    else if (this.busy > 0) await wait(hesitationMilliseconds * Math.min(1, this.load));
    return name === undefined ? super.moveToActive(token) : super.moveToActive(token, name);
  }

  /** Part of the slots in use. */
  get load(): number {
    return this.busy / this.concurrency;
  }

  /** Counts a task that begins (1) or ends (-1). */
  count(change: 1 | -1): void {
    this.busy += change;
    this.reportLoad(this.load);
  }

  /**
   * Leaves tasks to workers that know their voice, and takes those that others leave to it. To be called before `run`.
   *
   * @param marker key by which another worker wakes this one
   */
  async preferVoices(voices: KnownVoices, text: 'whole' | 'live', marker: string): Promise<void> {
    this.reportLoad = (load) => voices.reportLoad(text, load);
    this.leaveNext = (load) => voices.leaveNext(text, load, 1 / this.concurrency);
    const client = await this.backend.blockingClient;
    if (client === undefined) return;
    // BullMQ waits for one key, Redis for several. What BullMQ calls here isn't documented, hence the exact version of the
    // package and its test.
    const popMarker = client.bzpopmin as unknown as PopFromAny;
    client.bzpopmin = async (shared, timeout) => {
      const popped = await popMarker(marker, shared, timeout);
      this.isInvited = popped?.[0] === marker;
      return popped;
    };
  }

  /**
   * Takes tasks although all slots are in use, at most as many again, as long as one that runs gives way to the next one.
   *
   * @param mayDisplace whether the next task has a better claim than one that runs; the caller makes that one wait
   */
  async takeTurns(mayDisplace: () => Promise<boolean>): Promise<void> {
    const { signal } = this.leaving;
    for (let number = 0; !signal.aborted; number += 1) {
      await wait(lookMilliseconds, undefined, { signal }).catch(() => undefined);
      const isFull = this.busy >= this.concurrency && this.busy < 2 * this.concurrency;
      if (signal.aborted || !isFull || !(await mayDisplace())) continue;
      const token = `${this.id}:turn:${number}`;
      const job = await super.moveToActive(token);
      if (job === undefined) continue;
      const work = this.processJob(job, token, () => false).finally(() => this.extra.delete(work));
      this.extra.add(work);
    }
  }

  /** Takes no more tasks and resolves when the present ones have ended. */
  async finish(): Promise<void> {
    this.leaving.abort();
    await this.pause(true);
    await Promise.all(this.extra);
    await this.close();
  }
}
