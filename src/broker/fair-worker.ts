/** A BullMQ worker that leaves tasks to less busy workers. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
import type { TaskData } from './task.ts';

/** Delay per running task before taking another, in milliseconds; many times as long as taking a task. */
const hesitationMilliseconds = 5;

/** BullMQ's worker fills all its slots at once: of eight tasks that arrive together, one worker would take all. */
export class FairWorker extends Worker<TaskData> {
  /** Running tasks. */
  busy = 0;

  protected override async moveToActive(token: string, name?: string): Promise<Job<TaskData>> {
    if (this.busy > 0) await wait(this.busy * hesitationMilliseconds);
    return name === undefined ? super.moveToActive(token) : super.moveToActive(token, name);
  }
}
