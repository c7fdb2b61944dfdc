/** The admission queue of one model, shared by all front ends of a broker. */

import type { Drain } from '../../admission/drain.ts';
import { type AdmissionQueue, type EnterOptions, type Job, slotless } from '../../admission/queue.ts';
import { createRetryAdvice, type RetryAdvice } from '../../admission/retry-advice.ts';
import { followSignal, type Lifetime } from '../../cancellation.ts';
import { ignore, SvcError } from '../../errors.ts';
import { withBroker } from '../shared/connection.ts';
import { now, type Script } from '../shared/script.ts';
import { leaseMilliseconds } from '../shared/task.ts';
import type { RegistryWatch } from '../shared/watch-registry.ts';
import type { BrokerClient, QueueClient } from './broker-client.ts';

/** A model whose requests are admitted. */
export interface AdmittingModel {
  readonly client: Pick<BrokerClient, 'keys'>;
  readonly registry: RegistryWatch;
}

export interface AdmittedRequest {
  readonly id: number;
  /** With its owner. */
  readonly name: string;
  readonly model: AdmittingModel;
  readonly lifetime: Lifetime;
}

/** State that the queues of all models at this front end share. */
export interface FrontAdmission extends Pick<QueueClient, 'redis' | 'keys'> {
  /** Requests that may wait for each model, over all front ends. */
  readonly maxWaiting: number;
  /** Runs `admitScript`. */
  readonly admit: Script;
  readonly entries: Map<number, AdmittedRequest>;
  /** Requests waiting for admission. */
  entering: number;
  readonly drain: Drain;
  readonly advice: RetryAdvice;
  /** @throws SvcError QUEUE_FULL while this process can't carry one more request */
  assertCarried(): void;
  /** Members that are the same in the queue of each model. */
  readonly shared: Pick<AdmissionQueue, 'turnAway' | 'hold' | 'cancel' | 'drain'>;
}

/** KEYS: requests, names. ARGV: id, name, most, lease. Returns the number of earlier requests, negated if too many. */
export const admitScript = `${now}
local open = redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')
if open >= tonumber(ARGV[3]) then return -open end
redis.call('ZADD', KEYS[1], now + ARGV[4], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return open`;

/** The admitted requests for one model, oldest first. */
export const entriesOf = (
  { entries }: Pick<FrontAdmission, 'entries'>,
  model: AdmittingModel,
): readonly AdmittedRequest[] => [...entries.values()].filter((entry) => entry.model === model);

/** Opens the queue of one model at this front end. */
export function openModelQueue(front: FrontAdmission, model: AdmittingModel): AdmissionQueue {
  const { redis, keys, admit, entries, advice, drain, maxWaiting } = front;
  const { client, registry } = model;
  const own = client.keys;
  const ownAdvice = createRetryAdvice();

  function assertReady(): void {
    drain.assertOpen();
    registry.assertReachable();
  }

  async function enter({ name, owner, signal }: EnterOptions): Promise<Job> {
    drain.assertOpen();
    front.assertCarried();
    front.entering += 1;
    try {
      // A worker may have joined since the last refresh.
      if (registry.workers.length === 0) await registry.refresh();
      registry.assertReachable();
      return await withBroker(() => begin(sharedName(owner, name), signal));
    } finally {
      front.entering -= 1;
      drain.settle();
    }
  }

  /** Whether the key of a request has no other for this model at this front end. */
  const hasNone = (name: string): boolean => {
    const prefix = name.slice(0, name.indexOf('/') + 1);
    return prefix !== '/' && !entriesOf(front, model).some((entry) => entry.name.startsWith(prefix));
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
      ...slotless,
      release() {
        if (!entries.delete(id)) return;
        for (const ended of endings) ended();
        lifetime.detach();
        lifetime.end();
        // If the broker is unreachable, the lease expires.
        redis.multi().zrem(own.requests, id).hdel(keys.requestNames, String(id)).exec().catch(ignore);
        drain.settle();
      },
    };
  }

  const requests = (): number => Math.max(registry.overview?.requests ?? 0, entriesOf(front, model).length);
  const waiting = (): number => Math.max(0, requests() - registry.capacity);
  return {
    ...front.shared,
    get active() {
      return Math.min(requests(), registry.capacity);
    },
    get waiting() {
      return waiting();
    },
    get current() {
      return entriesOf(front, model)[0]?.id;
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
}

/** The name of a request at the broker, with its owner, whose name has no slash. */
export const sharedName = (owner = '', name: string): string => `${owner}/${name}`;

/** Requests beyond the limit, for keys that have none: others can't fill the queue against them. */
const reserveOf = (maxWaiting: number): number => (maxWaiting === 0 ? 0 : Math.max(4, Math.ceil(maxWaiting / 8)));

const full = (requests: number): SvcError =>
  new SvcError('QUEUE_FULL', `the queue is full (${requests} requests at the broker); retry later`);
