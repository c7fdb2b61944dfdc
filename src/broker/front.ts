/** Redis connections of a front end, shared by all its requests: commands, notifications, leases. */
import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type BrokerAddress, connectBroker, withBroker } from './connection.ts';
import { type BrokerKeys, brokerKeys, taskQueues } from './keys.ts';
import { leaseMilliseconds, renewMilliseconds, type TaskData } from './task.ts';

/** Waits for changes of one task. */
export interface TaskWatch {
  /** Resolves when there may be new audio: on a worker's message and after each renewal of the lease. */
  news(signal: AbortSignal): Promise<void>;
  /** Resolves `news`. */
  wake(): void;
  /** Consecutive renewals that found no stream or no job for the task. */
  readonly missed: number;
  /** Resets `missed` after the task was submitted again. */
  forget(): void;
  stop(): void;
}

export interface Front {
  readonly keys: BrokerKeys;
  readonly redis: Redis;
  readonly queues: Readonly<Record<keyof typeof taskQueues, Queue<TaskData>>>;
  /** Channel for messages to this process. */
  readonly channel: string;
  /** Renews the task's lease until stopped. */
  watch(task: string, jobKey: () => string): TaskWatch;
  /** Calls `listener` for each message on a channel. */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  close(): Promise<void>;
}

interface Watched {
  readonly jobKey: () => string;
  missed: number;
  pending: boolean;
  wake: () => void;
}

/** @throws SvcError BACKEND_UNAVAILABLE */
export async function openFront(
  address: BrokerAddress,
  queueName: string,
  onError: (error: Error) => void,
): Promise<Front> {
  const keys = brokerKeys(queueName);
  const redis = await connectBroker(address, 'front', onError);
  const subscriber = await connectBroker(address, 'worker', onError);
  const openQueue = (name: string): Queue<TaskData> => {
    const queue = new Queue<TaskData>(name, {
      connection: redis,
      prefix: keys.prefix,
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', onError);
    return queue;
  };
  const queues = { whole: openQueue(taskQueues.whole), live: openQueue(taskQueues.live) };
  const channel = keys.news(randomUUID());
  const watched = new Map<string, Watched>();
  const listeners = new Map<string, (message: string) => void>();
  subscriber.on('message', (from: string, message: string) => listeners.get(from)?.(message));

  const notify = (entry: Watched): void => {
    entry.pending = true;
    entry.wake();
  };

  async function subscribe(name: string, listener: (message: string) => void): Promise<void> {
    listeners.set(name, listener);
    await withBroker(() => subscriber.subscribe(name));
  }

  /** One round trip for all tasks. Does nothing while the broker is unreachable. */
  async function renew(): Promise<void> {
    const tasks = [...watched];
    if (tasks.length === 0) return;
    const batch = redis.pipeline();
    for (const [task, { jobKey }] of tasks) {
      batch.pexpire(keys.audio(task), leaseMilliseconds);
      batch.pexpire(keys.input(task), leaseMilliseconds);
      batch.pexpire(keys.text(task), leaseMilliseconds);
      batch.exists(jobKey());
    }
    const replies = await batch.exec().catch(() => null);
    tasks.forEach(([, entry], index) => {
      const [audio, , , job] = (replies ?? []).slice(4 * index, 4 * index + 4).map(([error, value]) => error ?? value);
      if (audio === 0 || job === 0) entry.missed += 1;
      else if (audio === 1) entry.missed = 0;
      notify(entry);
    });
  }

  const timer = setInterval(() => void renew(), renewMilliseconds);

  function watch(task: string, jobKey: () => string): TaskWatch {
    const entry: Watched = { jobKey, missed: 0, pending: false, wake: () => undefined };
    watched.set(task, entry);
    return {
      get missed() {
        return entry.missed;
      },
      news: (signal) =>
        new Promise<void>((resolve) => {
          const done = (): void => {
            entry.wake = () => undefined;
            entry.pending = false;
            signal.removeEventListener('abort', done);
            resolve();
          };
          if (entry.pending || signal.aborted) return done();
          entry.wake = done;
          signal.addEventListener('abort', done, { once: true });
        }),
      wake: () => notify(entry),
      forget: () => {
        entry.missed = 0;
      },
      stop: () => void watched.delete(task),
    };
  }

  await subscribe(channel, (task) => {
    const entry = watched.get(task);
    if (entry !== undefined) notify(entry);
  });

  return {
    keys,
    redis,
    queues,
    channel,
    watch,
    subscribe,
    async close() {
      clearInterval(timer);
      for (const queue of Object.values(queues)) await queue.close().catch(() => undefined);
      subscriber.disconnect();
      redis.disconnect();
    },
  };
}
