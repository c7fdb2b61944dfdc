/** Workers and load of one model of a queue, and the names of all its models. Times are the broker's, since clocks of machines differ. */

import { z } from 'zod';
import type { ModelInfo } from '../../engine/backend.ts';
import type { RedisClient } from './connection.ts';
import { type BrokerKeys, protocolVersion } from './keys.ts';
import { defineScript, now } from './script.ts';
import { aliveMilliseconds } from './task.ts';

const modelInfo = z.object({
  name: z.string(),
  architecture: z.enum(['voxcpm', 'voxcpm2']),
  patchSize: z.int(),
  featureDim: z.int(),
  patchSamples: z.int(),
  inputPatchSamples: z.int(),
  inputSampleRate: z.int(),
  outputSampleRate: z.int(),
  contextLength: z.int(),
  weightType: z.string(),
  device: z.string(),
  limits: z.object({ maxTextCharacters: z.int().optional(), languages: z.array(z.string()).readonly().optional() }),
}) satisfies z.ZodType<ModelInfo>;

const adapterInfo = z.object({
  name: z.string(),
  weight: z.number(),
  rank: z.int(),
  alpha: z.number(),
  baseModel: z.string().optional(),
  targets: z.int(),
  bytes: z.int(),
});

const servedModel = z.object({
  /** Equal for workers that generate the same audio for a request. */
  identity: z.string(),
  info: modelInfo,
  adapters: z.array(adapterInfo).readonly(),
  /** Meaning of `normalize: auto` for the model; left out by older workers. */
  normalizes: z.boolean().optional(),
});

const workerReport = z.object({
  version: z.literal(protocolVersion),
  /** Host name and process id. */
  name: z.string(),
  model: servedModel,
  /** Concurrent tasks. */
  slots: z.int(),
  active: z.int(),
  /** Since the start: completed tasks, failed tasks, seconds of audio. */
  done: z.int(),
  failed: z.int(),
  audioSeconds: z.number(),
  /** Passes over the weights, and utterances that shared them. */
  passes: z.int(),
  passMembers: z.int(),
});

export type ServedModel = Readonly<z.output<typeof servedModel>>;
export type WorkerReport = Readonly<z.output<typeof workerReport>>;

/** Undefined for data of another version of svc. */
const readJson = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined =>
  schema.safeParse(JSON.parse(text)).data;

export interface FoundModel {
  /** At the broker; empty for the unnamed model. */
  readonly name: string;
  /** Milliseconds since a worker reported it. */
  readonly age: number;
  readonly served: ServedModel;
}

export interface BrokerOverview {
  readonly workers: readonly WorkerReport[];
  /** Admitted requests that have not ended. */
  readonly requests: number;
  /** Tasks not yet taken by a worker. */
  readonly waiting: number;
  /** Retries of tasks whose worker died. */
  readonly retried: number;
}

export type Registry = ReturnType<typeof createRegistry>;

/** KEYS: workers, details. ARGV: id, time to live, report. */
const reportScript = `${now}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])`;

/** KEYS: protocols. ARGV: version, time to live. */
const announceScript = `${now}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])`;

/** KEYS: protocols. Also removes expired versions. */
const protocolsScript = `${now}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)`;

/** KEYS: workers, details, requests, names, waiting, totals, prioritized. Also removes expired workers and requests. */
const overviewScript = `${now}
for place = 1, 3, 2 do
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[place], '-inf', now)) do
    redis.call('ZREM', KEYS[place], member)
    redis.call('HDEL', KEYS[place + 1], member)
  end
end
return {
  redis.call('ZCARD', KEYS[3]), redis.call('LLEN', KEYS[5]) + redis.call('ZCARD', KEYS[7]), tonumber(redis.call('HGET', KEYS[6], 'retried') or '0'),
  redis.call('HVALS', KEYS[2])
}`;

/** How long a model is known after the last report of a worker, in milliseconds. */
const keptMilliseconds = 30 * 24 * 3_600_000;

/** KEYS: models, models seen. ARGV: name. */
const announceModelScript = `${now}
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])
redis.call('ZADD', KEYS[2], now, ARGV[1])`;

/** KEYS: models, models seen. ARGV: time to keep. Returns names and ages. Also removes names that were kept long enough. */
const listModelsScript = `${now}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[1])) do
  redis.call('ZREM', KEYS[1], name)
  redis.call('ZREM', KEYS[2], name)
end
local found = {}
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  found[#found + 1] = name
  found[#found + 1] = now - (redis.call('ZSCORE', KEYS[2], name) or now)
end
return found`;

export function createRegistry(redis: RedisClient, keys: BrokerKeys) {
  const report = defineScript(redis, 'svcReport', reportScript);
  const overview = defineScript(redis, 'svcOverview', overviewScript);
  const announce = defineScript(redis, 'svcAnnounce', announceScript);
  const protocols = defineScript(redis, 'svcProtocols', protocolsScript);
  const announceModel = defineScript(redis, 'svcAnnounceModel', announceModelScript);
  const listModels = defineScript(redis, 'svcListModels', listModelsScript);
  const modelKeys = [keys.models, keys.modelsSeen];
  const { workerDetails, requests, requestNames, waiting, totals, model } = keys;
  return {
    /** Reports a worker as alive. */
    async report(workerId: string, details: WorkerReport): Promise<void> {
      await report([keys.workers, workerDetails], workerId, aliveMilliseconds, JSON.stringify(details));
      await redis.set(model, JSON.stringify(details.model), 'PX', keptMilliseconds);
      await announceModel(modelKeys, keys.modelName);
      await announce([keys.protocols], protocolVersion, aliveMilliseconds);
    },
    /** Names of the queue's models in the order of their first workers, with the milliseconds since their last reports. */
    async models(): Promise<readonly Pick<FoundModel, 'name' | 'age'>[]> {
      const reply = (await listModels(modelKeys, keptMilliseconds)) as readonly (string | number)[];
      return Array.from({ length: reply.length / 2 }, (_, index) => ({
        name: String(reply[2 * index]),
        age: Number(reply[2 * index + 1]),
      }));
    },
    async leave(workerId: string): Promise<void> {
      await redis.multi().zrem(keys.workers, workerId).hdel(workerDetails, workerId).exec();
    },
    async countRetry(): Promise<void> {
      await redis.hincrby(totals, 'retried', 1);
    },
    async overview(): Promise<BrokerOverview> {
      const { prioritized } = keys;
      const queued = [waiting('whole'), totals, prioritized('whole')];
      const reply = await overview([keys.workers, workerDetails, requests, requestNames, ...queued]);
      const [admitted, waitingTasks, retried, reports] = reply as [number, number, number, string[]];
      const workers = reports.map((text) => readJson(workerReport, text)).filter((report) => report !== undefined);
      return { workers, requests: admitted, waiting: waitingTasks, retried };
    },
    /** Other protocol versions that workers of this queue's name speak. */
    async otherProtocols(): Promise<readonly number[]> {
      const versions = (await protocols([keys.protocols])) as string[];
      return versions.map(Number).filter((version) => version !== protocolVersion);
    },
    /** Model of the worker that reported last; undefined before the first. */
    async lastModel(): Promise<ServedModel | undefined> {
      const text = await redis.get(model);
      return text === null ? undefined : readJson(servedModel, text);
    },
  };
}
