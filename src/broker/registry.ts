/** Who works on a queue, and how full it is. Times are those of the broker: clocks of machines differ. */
import type { Redis } from 'ioredis';
import type { ModelInfo } from '../engine/backend.ts';
import type { BrokerKeys } from './keys.ts';
import { defineScript } from './script.ts';
import { aliveMilliseconds } from './task.ts';

export interface ServedModel {
  /** Equal for workers that make the same audio of a request. */
  readonly identity: string;
  readonly info: ModelInfo;
}

export interface WorkerReport {
  /** Name of its machine and number of its process. */
  readonly name: string;
  readonly model: ServedModel;
  /** Tasks that it does at once. */
  readonly slots: number;
  readonly active: number;
  /** Since it was started: tasks that it has ended, those that failed, seconds of audio. */
  readonly done: number;
  readonly failed: number;
  readonly audioSeconds: number;
  /** Passes over the weights, and utterances that shared them. */
  readonly passes: number;
  readonly passMembers: number;
}

export interface BrokerOverview {
  readonly workers: readonly WorkerReport[];
  /** Requests that are admitted and not over. */
  readonly requests: number;
  /** Tasks that no worker has taken. */
  readonly waiting: number;
  /** Times that a task was taken up again after its worker had died. */
  readonly retried: number;
}

export interface Registry {
  /** A sign of life, with what there is to know. */
  report(workerId: string, report: WorkerReport): Promise<void>;
  leave(workerId: string): Promise<void>;
  countRetry(): Promise<void>;
  overview(): Promise<BrokerOverview>;
  /** What the last worker that came serves; undefined before there was one. */
  lastModel(): Promise<ServedModel | undefined>;
}

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: workers, details. ARGV: id, time to live, report. */
const reportScript = `${now}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])`;

/** KEYS: workers, details, requests, names, waiting, totals. Who gave no sign of life is removed on the way. */
const overviewScript = `${now}
for place = 1, 3, 2 do
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[place], '-inf', now)) do
    redis.call('ZREM', KEYS[place], member)
    redis.call('HDEL', KEYS[place + 1], member)
  end
end
return {
  redis.call('ZCARD', KEYS[3]), redis.call('LLEN', KEYS[5]), tonumber(redis.call('HGET', KEYS[6], 'retried') or '0'),
  redis.call('HVALS', KEYS[2])
}`;

export function createRegistry(redis: Redis, keys: BrokerKeys): Registry {
  const report = defineScript(redis, 'svcReport', reportScript);
  const overview = defineScript(redis, 'svcOverview', overviewScript);
  const { workers, workerDetails, requests, requestNames, waiting, totals, model } = keys;
  return {
    async report(workerId, details) {
      await report([workers, workerDetails], workerId, aliveMilliseconds, JSON.stringify(details));
      await redis.set(model, JSON.stringify(details.model));
    },
    async leave(workerId) {
      await redis.multi().zrem(workers, workerId).hdel(workerDetails, workerId).exec();
    },
    async countRetry() {
      await redis.hincrby(totals, 'retried', 1);
    },
    async overview() {
      const reply = await overview([workers, workerDetails, requests, requestNames, waiting, totals]);
      const [admitted, queued, retried, reports] = reply as [number, number, number, string[]];
      const parsed = reports.map((text) => JSON.parse(text) as WorkerReport);
      return { workers: parsed, requests: admitted, waiting: queued, retried };
    },
    async lastModel() {
      const text = await redis.get(model);
      return text === null ? undefined : (JSON.parse(text) as ServedModel);
    },
  };
}
