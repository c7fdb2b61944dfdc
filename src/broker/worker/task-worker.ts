/** Runs the tasks that BullMQ hands to this process, and reports those that kill their workers. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Job, WaitingError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { followSignal } from '../../cancellation.ts';
import type { FairQueue } from '../shared/fair-queue.ts';
import { type TextKind, taskQueues } from '../shared/keys.ts';
import type { Registry } from '../shared/registry.ts';
import {
  lockMilliseconds,
  mostCrashes,
  readTaskPriority,
  stallCheckMilliseconds,
  type TaskData,
} from '../shared/task.ts';
import { type TaskContext, workTask } from './work-task.ts';

/** Delay of a worker with all slots in use before it takes a task, in milliseconds; many times as long as taking one. */
const hesitationMilliseconds = 40;
/** How often a worker without a free slot looks at the next task, in milliseconds: less than a step takes. */
const lookMilliseconds = 25;

/** BullMQ's worker fills all its slots at once: of eight tasks that arrive together, one worker would take all. */
class FairWorker extends Worker<TaskData> {
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

/** How long an idle worker waits for a task before it asks again: a lost connection shows when the answer is late. */
const pollSeconds = 2;

/** State that the tasks of a process share. */
export interface TaskState {
  readonly context: TaskContext;
  readonly count: { active: number; done: number; failed: number; made: number };
  readonly queue: FairQueue;
  readonly registry: Pick<Registry, 'countRetry'>;
  /** Aborted when the process gives its tasks back to the queue. */
  readonly leaving: AbortController;
  readonly logger: Logger;
  readonly onError: (error: Error) => void;
}

async function work(
  { context, count, queue, registry, leaving, logger, onError }: TaskState,
  worker: FairWorker,
  job: Job<TaskData>,
  token: string | undefined,
  lockLost?: AbortSignal,
): Promise<void> {
  const started = performance.now();
  count.active += 1;
  worker.count(1);
  if (job.stalledCounter > 0) await registry.countRetry();
  const lifetime = followSignal(leaving.signal);
  let isLeft = false;
  const leave = (): void => {
    isLeft = true;
    lifetime.end();
  };
  lockLost?.addEventListener('abort', () => lifetime.end(), { once: true });
  try {
    const passed = readTaskPriority(job.data);
    if (passed !== undefined) void queue.advanceVirtualTime(job.priority, passed, job.data.text).catch(onError);
    const { end, made } = await workTask(context, job.data, lifetime.signal, leave);
    if (end === 'failed') count.failed += 1;
    else if (end === 'done') count.done += 1;
    if (job.data.kind !== 'encode') count.made += made;
    const milliseconds = Math.round(performance.now() - started);
    const { task, kind } = job.data;
    logger.info({ task, kind, end, crashes: job.stalledCounter, milliseconds }, 'task ended');
  } catch (error) {
    if (!leaving.signal.aborted && !isLeft) throw error;
    logger.info({ task: job.data.task }, 'task returned to the queue');
    await job.moveToWait(token);
    throw new WaitingError();
  } finally {
    lifetime.detach();
    count.active -= 1;
    worker.count(-1);
  }
}

/** Opens a worker of the tasks whose text is whole or live, which runs once it is started. */
export function openTaskWorker(
  state: TaskState,
  text: TextKind,
  { name, concurrency }: { readonly name: string; readonly concurrency: number },
): FairWorker {
  const { context, logger, onError } = state;
  const { redis, keys } = context;
  // BullMQ passes a signal only to functions with three parameters.
  const perform = (job: Job<TaskData>, token?: string, signal?: AbortSignal) => work(state, worker, job, token, signal);
  const worker: FairWorker = new FairWorker(taskQueues[text], perform, {
    connection: redis,
    prefix: keys.prefix,
    concurrency,
    lockDuration: lockMilliseconds,
    stalledInterval: stallCheckMilliseconds,
    maxStalledCount: mostCrashes,
    runRetryDelay: 500,
    drainDelay: pollSeconds,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    name,
    autorun: false,
  });
  worker.on('error', onError);
  // Another worker takes over; its answer would supersede this one.
  worker.on('lockRenewalFailed', (jobs) => {
    for (const job of jobs) worker.cancelJob(job, 'lock lost');
  });
  worker.on('failed', (job, error) => {
    if (job === undefined || error.name !== 'UnrecoverableError') return;
    logger.error({ task: job.data.task, crashes: job.stalledCounter }, 'task failed: its workers died');
    const message = `the request failed: ${mostCrashes + 1} workers died while processing it`;
    context.answers.finish(job.data, { kind: 'failed', code: 'BACKEND_UNAVAILABLE', message }).catch(onError);
  });
  return worker;
}
