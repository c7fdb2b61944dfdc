/** A BullMQ worker that leaves tasks to less busy workers, and exceeds its slots only where that is fair. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
import type { TaskData } from '../shared/task.ts';

/** Delay of a worker with all slots in use before it takes a task, in milliseconds; many times as long as taking one. */
const hesitationMilliseconds = 40;
/** How often a worker without a free slot looks at the next task, in milliseconds: less than a step takes. */
const lookMilliseconds = 25;

/** BullMQ's worker fills all its slots at once: of eight tasks that arrive together, one worker would take all. */
export class FairWorker extends Worker<TaskData> {
  private busy = 0;
  private readonly extra = new Set<Promise<unknown>>();
  private readonly leaving = new AbortController();

  protected override async moveToActive(token: string, name?: string): Promise<Job<TaskData>> {
    if (this.busy > 0) await wait(hesitationMilliseconds * Math.min(1, this.busy / this.concurrency));
    return name === undefined ? super.moveToActive(token) : super.moveToActive(token, name);
  }

  /** Counts a task that begins (1) or ends (-1). */
  count(change: 1 | -1): void {
    this.busy += change;
  }

  /**
   * Takes tasks although all slots are in use, at most as many again, as long as one that runs gives way to the next one.
   *
   * @param mayDisplace whether the next task ranks higher than one that runs; the caller makes that one wait
   */
  async takeExtraTasks(mayDisplace: () => Promise<boolean>): Promise<void> {
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
