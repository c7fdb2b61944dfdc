/** Lua scripts, which Redis runs atomically. */
import type { RedisClient } from './connection.ts';

type ScriptArgument = string | number | Buffer;
export type Script = (keys: readonly string[], ...rest: readonly ScriptArgument[]) => Promise<unknown>;

/** Sets `now`, the clock of the broker in milliseconds. */
export const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** ioredis sends the script once per connection, then only its digest. */
export function defineScript(redis: RedisClient, name: string, lua: string): Script {
  redis.defineCommand(name, { lua });
  const commands = redis as unknown as Record<string, (...values: readonly ScriptArgument[]) => Promise<unknown>>;
  return (keys, ...rest) => (commands[name] as (typeof commands)[string])(keys.length, ...keys, ...rest);
}
