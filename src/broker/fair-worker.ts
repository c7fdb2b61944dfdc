/** A BullMQ worker that leaves tasks to less busy workers. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
import type { TaskData } from './task.ts';

/** Delay of a worker with all slots but one in use before it takes a task, in milliseconds; many times as long as taking one. */
const hesitationMilliseconds = 40;

/** BullMQ's worker fills all its slots at once: of eight tasks that arrive together, one worker would take all. */
export class FairWorker extends Worker<TaskData> {
  /** Running tasks. */
  busy = 0;

  protected override async moveToActive(token: string, name?: string): Promise<Job<TaskData>> {
    if (this.busy > 0) await wait((this.busy / this.concurrency) * hesitationMilliseconds);
    return name === undefined ? super.moveToActive(token) : super.moveToActive(token, name);
  }
}
