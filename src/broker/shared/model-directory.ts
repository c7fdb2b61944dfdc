/** The names of a queue's models, also of those whose workers have left. */
import type { RedisClient } from './connection.ts';
import type { BrokerKeys } from './keys.ts';
import { defineScript, now } from './script.ts';

export interface ListedModel {
  /** Empty for the model that its workers do not name. */
  readonly name: string;
  /** Milliseconds since a worker of the model reported last. */
  readonly age: number;
}

/** How long a model is known after the last report of a worker, in milliseconds. */
export const keptMilliseconds = 30 * 24 * 3_600_000;

/** KEYS: models, models seen. ARGV: name. */
const announceScript = `${now}
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])
redis.call('ZADD', KEYS[2], now, ARGV[1])`;

/** KEYS: models, models seen. ARGV: time to keep. Returns names and ages. Also removes names that were kept long enough. */
const listScript = `${now}
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

export function createModelDirectory(redis: RedisClient, { models, modelsSeen }: BrokerKeys) {
  const announce = defineScript(redis, 'svcAnnounceModel', announceScript);
  const list = defineScript(redis, 'svcListModels', listScript);
  const keys = [models, modelsSeen];
  return {
    /** Call with each report of a worker. */
    async announce(name: string): Promise<void> {
      await announce(keys, name);
    },
    /** In the order of their first workers. */
    async list(): Promise<readonly ListedModel[]> {
      const reply = (await list(keys, keptMilliseconds)) as readonly (string | number)[];
      return Array.from({ length: reply.length / 2 }, (_, index) => ({
        name: String(reply[2 * index]),
        age: Number(reply[2 * index + 1]),
      }));
    },
  };
}
