/**
 * The order of waiting tasks: start-time fair queuing among keys, in BullMQ's priorities. A task begins where the last one
 * of its key ends, or where the queue is now; heavy keys queue behind their own requests.
 */

import type { TaskPriority } from '../../admission/step-turns.ts';
import type { RedisClient } from './connection.ts';
import type { BrokerKeys, TextKind } from './keys.ts';
import { defineScript } from './script.ts';
import type { TaskData } from './task.ts';

/** Length of a task of weight 1 in virtual time, so that weights of up to 16 have an effect. */
const taskLength = 16;
/** Places of listeners; those of files follow. BullMQ has 2^21. */
const mostPlaces = 2 ** 20;

/**
 * KEYS: prioritized tasks, queue. ARGV: owner, length, first place, last place. An empty queue starts over after a rest, as
 * tasks that are enqueued together are added later, or far within the range of places; beyond it, order of arrival counts.
 */
const enqueueScript = `
local time = tonumber(redis.call('TIME')[1])
local now = tonumber(redis.call('HGET', KEYS[2], 'now') or '0')
local used = tonumber(redis.call('HGET', KEYS[2], 'used') or '0')
if (time - used > 5 or 2 * now > ARGV[4] - ARGV[3])
  and redis.call('ZCOUNT', KEYS[1], ARGV[3] * 4294967296, (ARGV[4] + 1) * 4294967296) == 0 then
  redis.call('DEL', KEYS[2])
  now = 0
end
redis.call('HSET', KEYS[2], 'used', time)
local start = math.max(now, tonumber(redis.call('HGET', KEYS[2], 'of ' .. ARGV[1]) or '0'))
redis.call('HSET', KEYS[2], 'of ' .. ARGV[1], start + ARGV[2])
redis.call('PEXPIRE', KEYS[2], 3600000)
return math.min(start + ARGV[3], tonumber(ARGV[4]))`;

/** KEYS: queue. ARGV: place. */
const advanceScript = `
if tonumber(redis.call('HGET', KEYS[1], 'now') or '0') < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'now', ARGV[1]) end`;

/**
 * KEYS: waiting tasks, prioritized tasks. ARGV: prefix of jobs, id known. Returns the id of the next task, and its data
 * unless the id is known.
 */
const nextTaskScript = `
local id = redis.call('LINDEX', KEYS[1], -1) or redis.call('ZRANGE', KEYS[2], 0, 0)[1]
if not id then return nil end
if id == ARGV[2] then return {id} end
return {id, redis.call('HGET', ARGV[1] .. id, 'data')}`;

export type FairQueue = ReturnType<typeof createFairQueue>;

const firstPlaceOf = ({ priority }: TaskPriority): number => (priority === 'batch' ? mostPlaces : 1);

export function createFairQueue(redis: RedisClient, keys: BrokerKeys) {
  const enqueuePriority = defineScript(redis, 'svcEnqueue', enqueueScript);
  const advance = defineScript(redis, 'svcAdvance', advanceScript);
  const next = defineScript(redis, 'svcNextTask', nextTaskScript);
  const isFirst = ({ owner, priority }: TaskPriority): boolean => owner === undefined && priority === 'interactive';
  let known: { readonly id: string; readonly data: unknown } | undefined;
  return {
    /** Chooses the priority of a new task in BullMQ; 0, before all others, for a listener without a key. */
    async enqueuePriority(task: TaskPriority, text: TextKind): Promise<number> {
      if (isFirst(task)) return 0;
      const { owner = '', weight, priority } = task;
      const first = firstPlaceOf(task);
      const length = Math.max(1, Math.round(taskLength / weight));
      const line = [keys.prioritized(text), keys.line(text, priority)];
      return Number(await enqueuePriority(line, owner, length, first, first + mostPlaces - 2));
    },
    /** Call when a worker has taken the task with this priority. */
    async advanceVirtualTime(priority: number, task: TaskPriority, text: TextKind): Promise<void> {
      if (!isFirst(task)) await advance([keys.line(text, task.priority)], priority - firstPlaceOf(task));
    },
    /** Data of the next task, which may be of any version; undefined if none waits. */
    async nextTask(): Promise<unknown> {
      const prefix = keys.job('');
      const reply = await next([keys.waiting('whole'), keys.prioritized('whole')], prefix, known?.id ?? '');
      if (reply === null) return undefined;
      const [id, data] = reply as [string, string | null | undefined];
      if (known?.id !== id) known = typeof data === 'string' ? { id, data: JSON.parse(data) as TaskData } : undefined;
      return known?.data;
    },
  };
}
