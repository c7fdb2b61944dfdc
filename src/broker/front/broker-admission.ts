/**
 * Admission queues of all front ends of a broker: they share one limit for each model, and each can cancel the requests of any
 * other.
 */

import { createDrain, shuttingDown } from '../../admission/drain.ts';
import type { AdmissionQueue } from '../../admission/queue.ts';
import { createRetryAdvice } from '../../admission/retry-advice.ts';
import { SvcError } from '../../errors.ts';
import { withBroker } from '../shared/connection.ts';
import { defineScript, now } from '../shared/script.ts';
import { leaseMilliseconds, renewMilliseconds } from '../shared/task.ts';
import type { QueueClient } from './broker-client.ts';
import { watchFrontLoad } from './front-load.ts';
import {
  type AdmittedRequest,
  type AdmittingModel,
  admitScript,
  entriesOf,
  type FrontAdmission,
  openModelQueue,
  sharedName,
} from './model-admission.ts';

/** The queue of all models together: its numbers are sums, and it has room while one of them has. */
export interface BrokerAdmission extends AdmissionQueue {
  /** The queue of one model. The first one is that of requests which are entered for none. */
  open(model: AdmittingModel): AdmissionQueue;
  close(): void;
}

/** KEYS: requests. ARGV: lease, ids. */
const renewScript = `${now}
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[index]) end`;

/** @param maxWaiting requests that may wait for each model, over all front ends @throws SvcError BACKEND_UNAVAILABLE */
export async function createBrokerAdmission(
  { redis, keys, subscribe }: QueueClient,
  { maxWaiting }: Pick<FrontAdmission, 'maxWaiting'>,
): Promise<BrokerAdmission> {
  const renew = defineScript(redis, 'svcRenew', renewScript);
  const entries = new Map<number, AdmittedRequest>();
  const queues = new Map<AdmittingModel, AdmissionQueue>();
  const drain = createDrain(() => entries.size === 0 && front.entering === 0);
  const advice = createRetryAdvice();
  const load = watchFrontLoad(() => entries.size);

  const end = (id: number, reason: SvcError): void => entries.get(id)?.lifetime.end(reason);

  await subscribe(keys.cancellations, (message) => {
    for (const id of message.split(' ')) end(Number(id), new SvcError('CANCELLED', 'canceled by a cancel request'));
  });
  const timer = setInterval(() => {
    for (const model of queues.keys()) {
      const ids = entriesOf({ entries }, model).map(({ id }) => id);
      if (ids.length > 0) void renew([model.client.keys.requests], leaseMilliseconds, ...ids).catch(() => undefined);
    }
  }, renewMilliseconds);

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

  const front: FrontAdmission = {
    redis,
    keys,
    maxWaiting,
    admit: defineScript(redis, 'svcAdmit', admitScript),
    entries,
    entering: 0,
    drain,
    advice,
    assertCarried() {
      if (load.admit()) return;
      throw new SvcError('QUEUE_FULL', `the server is at capacity with ${entries.size} requests; retry later`);
    },
    shared,
  };

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
    open(model) {
      const queue = openModelQueue(front, model);
      queues.set(model, queue);
      return queue;
    },
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
