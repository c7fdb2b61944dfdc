/** Redis connections of a front end, shared by all its requests: commands, notifications, leases. */
import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { waitFor } from '../../cancellation.ts';
import type { BrokerAddress } from '../shared/address.ts';
import { type ConnectionLog, connectBroker, withBroker } from '../shared/connection.ts';
import { createFairQueue } from '../shared/fair-queue.ts';
import { brokerKeys, taskQueues } from '../shared/keys.ts';
import { defineScript } from '../shared/script.ts';
import { leaseMilliseconds, renewMilliseconds, type TaskData } from '../shared/task.ts';
import { createAnswerReader } from './answer-reader.ts';

/** The connection that the models of a queue share. */
export type QueueClient = Awaited<ReturnType<typeof openBrokerClient>>;

/** Submits the tasks of one model. */
export type BrokerClient = ReturnType<QueueClient['forModel']>;

interface Watched {
  readonly jobKey: () => string;
  readonly others: readonly string[];
  missed: number;
  pending: 'news' | 'renewed' | undefined;
  wake: () => void;
}

/** Tasks whose leases one command renews: it should block the broker for less than a millisecond. */
const renewedAtOnce = 128;

/** KEYS: stream, its end and job of each task. ARGV: lease. Returns 2 for a stream plus 1 for a job, for each task. */
const renewScript = `
local found = {}
for index = 1, #KEYS, 3 do
  local stream = redis.call('PEXPIRE', KEYS[index], ARGV[1])
  redis.call('PEXPIRE', KEYS[index + 1], ARGV[1])
  found[#found + 1] = 2 * stream + redis.call('EXISTS', KEYS[index + 2])
end
return found`;

/** @throws SvcError BACKEND_UNAVAILABLE */
export async function openBrokerClient(address: BrokerAddress, queueName: string, log: ConnectionLog) {
  const keys = brokerKeys(queueName);
  const redis = await connectBroker(address, 'front', log);
  const subscriber = await connectBroker(address, 'worker', log);
  const opened: Queue[] = [];
  const openQueue = (name: string, prefix: string): Queue<TaskData> => {
    const queue = new Queue<TaskData>(name, { connection: redis, prefix, streams: { events: { maxLen: 100 } } });
    queue.on('error', log.failed);
    opened.push(queue);
    return queue;
  };
  const renewLeases = defineScript(redis, 'svcRenewLeases', renewScript);
  /** For messages to this process. */
  const channel = keys.news(randomUUID());
  const watched = new Map<string, Watched>();
  const listeners = new Map<string, (message: string) => void>();
  subscriber.on('message', (from: string, message: string) => listeners.get(from)?.(message));

  const notify = (entry: Watched, kind: 'news' | 'renewed' = 'news'): void => {
    if (entry.pending !== 'news') entry.pending = kind;
    entry.wake();
  };
  // Messages may have been lost. A cluster reports them one node at a time.
  for (const event of ['ready', '+node', '-node']) {
    subscriber.on(event, () => {
      for (const entry of watched.values()) notify(entry);
    });
  }

  /** Calls `listener` for each message on a channel. */
  async function subscribe(name: string, listener: (message: string) => void): Promise<void> {
    listeners.set(name, listener);
    await withBroker(() => subscriber.subscribe(name));
  }

  async function renew(): Promise<void> {
    const tasks = [...watched];
    for (let index = 0; index < tasks.length; index += renewedAtOnce) {
      await renewSome(tasks.slice(index, index + renewedAtOnce));
    }
  }

  /** One round trip. Changes nothing while the broker is unreachable. */
  async function renewSome(tasks: readonly [string, Watched][]): Promise<void> {
    const ownKeys = tasks.flatMap(([task, { jobKey }]) => [keys.audio(task), keys.end(task), jobKey()]);
    const others = tasks.flatMap(([, entry]) => entry.others);
    const renewing = [
      renewLeases(ownKeys, leaseMilliseconds) as Promise<readonly number[]>,
      ...others.map((key) => redis.pexpire(key, leaseMilliseconds)),
    ] as const;
    const [found] = await Promise.all(renewing).catch(() => []);
    tasks.forEach(([, entry], index) => {
      const there = found?.[index];
      if (there !== undefined) entry.missed = there === 3 ? 0 : entry.missed + 1;
      notify(entry, 'renewed');
    });
  }

  const timer = setInterval(() => void renew(), renewMilliseconds);

  /** Renews the task's lease until stopped, and that of other keys which it needs. */
  function watch(task: string, jobKey: () => string, others: readonly string[]) {
    const entry: Watched = { jobKey, others, missed: 0, pending: undefined, wake: () => undefined };
    watched.set(task, entry);
    return {
      /** Consecutive renewals that found no stream or no job for the task. */
      get missed() {
        return entry.missed;
      },
      /** Resolves on a worker's message about new audio, and, as `renewed`, after each renewal of the lease. */
      async news(signal: AbortSignal): Promise<'news' | 'renewed'> {
        const begin = (resolve: () => void): void => {
          entry.wake = resolve;
        };
        if (entry.pending === undefined) await waitFor(signal, begin).catch(() => undefined);
        const kind = entry.pending ?? 'news';
        entry.pending = undefined;
        return kind;
      },
      /** Resolves `news` as a message would. */
      wake: (): void => notify(entry),
      /** Resets `missed` after the task was submitted again. */
      forget: (): void => {
        entry.missed = 0;
      },
      stop: (): void => void watched.delete(task),
    };
  }

  await subscribe(channel, (task) => {
    const entry = watched.get(task);
    if (entry !== undefined) notify(entry);
  });

  const shared = { redis, answers: createAnswerReader(redis, keys), channel, watch };

  function forModel(name: string) {
    const own = brokerKeys(queueName, name);
    const queues = { whole: openQueue(taskQueues.whole, own.prefix), live: openQueue(taskQueues.live, own.prefix) };
    return { ...shared, keys: own, queues, enqueuePriority: createFairQueue(redis, own).enqueuePriority };
  }

  return {
    ...shared,
    queueName,
    /** Those of the unnamed model. */
    keys,
    subscribe,
    forModel,
    async close(): Promise<void> {
      clearInterval(timer);
      for (const queue of opened) await queue.close().catch(() => undefined);
      subscriber.disconnect();
      redis.disconnect();
    },
  };
}
