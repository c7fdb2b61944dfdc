/**
 * Admission queues of all front ends of a broker: they share one limit for each model, and each can cancel the requests of any
 * other.
 */

import { createDrain, shuttingDown } from '../../admission/drain.ts';
import type { AdmissionQueue, EnterOptions, Job } from '../../admission/queue.ts';
import { createRetryAdvice } from '../../admission/retry-advice.ts';
import { followSignal } from '../../cancellation.ts';
import { SvcError } from '../../errors.ts';
import { withBroker } from '../shared/connection.ts';
import { defineScript } from '../shared/script.ts';
import { leaseMilliseconds, renewMilliseconds } from '../shared/task.ts';
import type { RegistryWatch } from '../shared/watch-registry.ts';
import type { BrokerClient, QueueClient } from './broker-client.ts';
import { watchFrontLoad } from './front-load.ts';

export interface BrokerAdmissionOptions {
  /** Requests that may wait for each model, over all front ends. */
  readonly maxWaiting: number;
}

/** A model whose requests are admitted. */
export interface AdmittingModel {
  readonly client: Pick<BrokerClient, 'keys'>;
  readonly registry: RegistryWatch;
}

/** The queue of all models together: its numbers are sums, and it has room while one of them has. */
export interface BrokerAdmission extends AdmissionQueue {
  /** The queue of one model. The first one is that of requests which are entered for none. */
  open(model: AdmittingModel): AdmissionQueue;
  close(): void;
}

interface AdmittedRequest {
  readonly id: number;
  /** With its owner. */
  readonly name: string;
  readonly model: AdmittingModel;
  readonly lifetime: ReturnType<typeof followSignal>;
}

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: requests, names. ARGV: id, name, most, lease. Returns the number of earlier requests, negated if too many. */
const admitScript = `${now}
local open = redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')
if open >= tonumber(ARGV[3]) then return -open end
redis.call('ZADD', KEYS[1], now + ARGV[4], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return open`;

/** KEYS: requests. ARGV: lease, ids. */
const renewScript = `${now}
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[index]) end`;

/** @throws SvcError BACKEND_UNAVAILABLE */
export async function createBrokerAdmission(
  { redis, keys, subscribe }: QueueClient,
  { maxWaiting }: BrokerAdmissionOptions,
): Promise<BrokerAdmission> {
  const admit = defineScript(redis, 'svcAdmit', admitScript);
  const renew = defineScript(redis, 'svcRenew', renewScript);
  const entries = new Map<number, AdmittedRequest>();
  const queues = new Map<AdmittingModel, AdmissionQueue>();
  /** Requests waiting for admission. */
  let entering = 0;
  const drain = createDrain(() => entries.size === 0 && entering === 0);
  const advice = createRetryAdvice();
  const load = watchFrontLoad(() => entries.size);

  const end = (id: number, reason: SvcError): void => entries.get(id)?.lifetime.end(reason);
  const entriesOf = (model: AdmittingModel): readonly AdmittedRequest[] =>
    [...entries.values()].filter((entry) => entry.model === model);

  await subscribe(keys.cancellations, (message) => {
    for (const id of message.split(' ')) end(Number(id), new SvcError('CANCELLED', 'canceled by a cancel request'));
  });
  const timer = setInterval(() => {
    for (const model of queues.keys()) {
      const ids = entriesOf(model).map(({ id }) => id);
      if (ids.length > 0) void renew([model.client.keys.requests], leaseMilliseconds, ...ids).catch(() => undefined);
    }
  }, renewMilliseconds);

  function assertCarried(): void {
    if (load.admit()) return;
    throw new SvcError('QUEUE_FULL', `the server is at capacity with ${entries.size} requests; retry later`);
  }

  async function cancel(which?: number | string, owner?: string): Promise<readonly number[]> {
    const names = await withBroker(() => redis.hgetall(keys.requestNames));
    const chosen = Object.entries(names)
      .filter(([, name]) => name.startsWith(sharedName(owner, '')))
      .filter(([id, name]) => which === undefined || which === Number(id) || name === sharedName(owner, String(which)))
      .map(([id]) => Number(id));
    if (chosen.length > 0) {
      await withBroker(() => redis.publish(keys.cancellations, chosen.join(' ')));
    }
    return chosen.sort((a, b) => a - b);
  }

  const shared = {
    turnAway: () => (load.hasRoom() ? undefined : advice.secondsBehindOthers(entries.size)),
    // Workers have loaded their models.
    hold: ({ signal }) => ({ signal, ready: () => undefined, release: () => undefined }),
    cancel,
    drain: (milliseconds) =>
      drain.begin(milliseconds, () => {
        for (const id of entries.keys()) end(id, shuttingDown());
      }),
  } satisfies Partial<AdmissionQueue>;

  function open(model: AdmittingModel): AdmissionQueue {
    const { client, registry } = model;
    const own = client.keys;
    const ownAdvice = createRetryAdvice();

    function assertReady(): void {
      drain.assertOpen();
      registry.assertReachable();
    }

    async function enter({ name, owner, signal }: EnterOptions): Promise<Job> {
      drain.assertOpen();
      assertCarried();
      entering += 1;
      try {
        // A worker may have joined since the last refresh.
        if (registry.workers.length === 0) await registry.refresh();
        registry.assertReachable();
        return await withBroker(() => begin(sharedName(owner, name), signal));
      } finally {
        entering -= 1;
        drain.settle();
      }
    }

    /** Whether the key of a request has no other for this model at this front end. */
    const hasNone = (name: string): boolean => {
      const prefix = name.slice(0, name.indexOf('/') + 1);
      return prefix !== '/' && !entriesOf(model).some((entry) => entry.name.startsWith(prefix));
    };

    async function begin(name: string, signal: AbortSignal): Promise<Job> {
      let id = await redis.incr(keys.requestNumber);
      // A broker that lost its data counts from 1 again.
      while (entries.has(id)) id = await redis.incr(keys.requestNumber);
      const most = registry.capacity + maxWaiting + (hasNone(name) ? reserveOf(maxWaiting) : 0);
      const open = Number(await admit([own.requests, keys.requestNames], id, name, most, leaseMilliseconds));
      if (open < 0 || (open === 0 && most === 0)) throw full(-open);
      const lifetime = followSignal(signal);
      const endings = [advice.begin(), ownAdvice.begin()];
      entries.set(id, { id, name, model, lifetime });
      return {
        id,
        signal: lifetime.signal,
        // Slots belong to the workers; a worker drops a task whose listener reads nothing while others wait.
        pause: () => undefined,
        resume: () => undefined,
        yieldToWaiting: async () => undefined,
        hasNewcomers: () => false,
        releaseSlotUntil: async (wake) => void (await wake),
        yieldedSeconds: () => 0,
        release() {
          if (!entries.delete(id)) return;
          for (const ended of endings) ended();
          lifetime.detach();
          lifetime.end();
          // If the broker is unreachable, the lease expires.
          void redis
            .multi()
            .zrem(own.requests, id)
            .hdel(keys.requestNames, String(id))
            .exec()
            .catch(() => undefined);
          drain.settle();
        },
      };
    }

    const requests = (): number => Math.max(registry.overview?.requests ?? 0, entriesOf(model).length);
    const waiting = (): number => Math.max(0, requests() - registry.capacity);
    const queue: AdmissionQueue = {
      ...shared,
      get active() {
        return Math.min(requests(), registry.capacity);
      },
      get waiting() {
        return waiting();
      },
      get current() {
        return entriesOf(model)[0]?.id;
      },
      get retryAfter() {
        return ownAdvice.secondsFor(waiting(), registry.capacity);
      },
      assertReady,
      assertRoom() {
        assertReady();
        const open = registry.overview?.requests ?? 0;
        if (open >= registry.capacity + maxWaiting) throw full(open);
      },
      enter,
    };
    queues.set(model, queue);
    return queue;
  }

  /** Throws what the last model throws, if all do. */
  function assertAny(check: (queue: AdmissionQueue) => void): void {
    let failure: unknown;
    for (const queue of queues.values()) {
      try {
        check(queue);
        return;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
  const sumOf = (count: (queue: AdmissionQueue) => number): number =>
    [...queues.values()].reduce((sum, queue) => sum + count(queue), 0);

  return {
    ...shared,
    open,
    get active() {
      return sumOf((queue) => queue.active);
    },
    get waiting() {
      return sumOf((queue) => queue.waiting);
    },
    get current() {
      return entries.keys().next().value;
    },
    get retryAfter() {
      return Math.max(...[...queues.values()].map((queue) => queue.retryAfter));
    },
    assertReady: () => assertAny((queue) => queue.assertReady()),
    assertRoom: () => assertAny((queue) => queue.assertRoom()),
    enter: (options) => (queues.values().next().value as AdmissionQueue).enter(options),
    close: () => {
      clearInterval(timer);
      load.close();
    },
  };
}

/** The name of a request at the broker, with its owner, whose name has no slash. */
const sharedName = (owner = '', name: string): string => `${owner}/${name}`;

/** Requests beyond the limit, for keys that have none: others can't fill the queue against them. */
const reserveOf = (maxWaiting: number): number => (maxWaiting === 0 ? 0 : Math.max(4, Math.ceil(maxWaiting / 8)));

const full = (requests: number): SvcError =>
  new SvcError('QUEUE_FULL', `the queue is full (${requests} requests at the broker); retry later`);
