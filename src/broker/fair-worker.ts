/** BullMQ's worker, which leaves tasks to others that have less to do. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
import type { TaskData } from './task.ts';

/** Hesitation for each task that a worker is at, in milliseconds: many times what taking a task takes. */
const hesitationMilliseconds = 5;

/**
 * By itself a worker takes as many tasks at once as it has slots for, and of eight that come together one worker would get
 * all, while others have nothing to do.
 */
export class FairWorker extends Worker<TaskData> {
  /** Tasks that it is at. */
  busy = 0;

  protected override async moveToActive(token: string, name?: string): Promise<Job<TaskData>> {
    if (this.busy > 0) await wait(this.busy * hesitationMilliseconds);
    return name === undefined ? super.moveToActive(token) : super.moveToActive(token, name);
  }
}
