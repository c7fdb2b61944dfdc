/**
 * The order of waiting tasks: start-time fair queuing among keys, in BullMQ's priorities. A task begins where the last one
 * of its key ends, or where the queue is now; heavy keys queue behind their own requests.
 */

import type { Claim } from '../../admission/step-turns.ts';
import type { BrokerClient } from './connection.ts';
import type { BrokerKeys, taskQueues } from './keys.ts';
import { defineScript } from './script.ts';
import type { TaskData } from './task.ts';

/** Length of a task of weight 1 in the line, so that weights of up to 16 have an effect. */
const taskLength = 16;
/** Places of listeners; those of files follow. BullMQ has 2^21. */
const mostPlaces = 2 ** 20;

/**
 * KEYS: prioritized tasks, line. ARGV: owner, length, first place, last place. An empty line forgets the past after a rest,
 * as tasks that line up together are added later, or far within the range of places; beyond it, order of arrival counts.
 */
const lineUpScript = `
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

/** KEYS: line. ARGV: place. */
const passScript = `
if tonumber(redis.call('HGET', KEYS[1], 'now') or '0') < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'now', ARGV[1]) end`;

/**
 * KEYS: waiting tasks, prioritized tasks. ARGV: prefix of jobs, id known. Returns the id of the next task, and its data
 * unless the id is known.
 */
const nextScript = `
local id = redis.call('LINDEX', KEYS[1], -1) or redis.call('ZRANGE', KEYS[2], 0, 0)[1]
if not id then return nil end
if id == ARGV[2] then return {id} end
return {id, redis.call('HGET', ARGV[1] .. id, 'data')}`;

export interface FairLine {
  /** Chooses the priority of a new task in BullMQ; 0, before all others, for a listener without a key. */
  lineUp(claim: Claim, text: keyof typeof taskQueues): Promise<number>;
  /** Says that a worker has taken the task with this priority. */
  pass(priority: number, claim: Claim, text: keyof typeof taskQueues): Promise<void>;
  /** Data of the next task, which may be of any version; undefined if none waits. */
  next(): Promise<unknown>;
}

const firstPlaceOf = ({ priority }: Claim): number => (priority === 'batch' ? mostPlaces : 1);

export function createFairLine(redis: BrokerClient, keys: BrokerKeys): FairLine {
  const lineUp = defineScript(redis, 'svcLineUp', lineUpScript);
  const pass = defineScript(redis, 'svcPass', passScript);
  const next = defineScript(redis, 'svcNext', nextScript);
  const isFirst = ({ owner, priority }: Claim): boolean => owner === undefined && priority === 'interactive';
  let known: { readonly id: string; readonly data: unknown } | undefined;
  return {
    async lineUp(claim, text) {
      if (isFirst(claim)) return 0;
      const { owner = '', weight, priority } = claim;
      const first = firstPlaceOf(claim);
      const length = Math.max(1, Math.round(taskLength / weight));
      const line = [keys.prioritized(text), keys.line(text, priority)];
      return Number(await lineUp(line, owner, length, first, first + mostPlaces - 2));
    },
    async pass(priority, claim, text) {
      if (!isFirst(claim)) await pass([keys.line(text, claim.priority)], priority - firstPlaceOf(claim));
    },
    async next() {
      const prefix = keys.job('');
      const reply = await next([keys.waiting('whole'), keys.prioritized('whole')], prefix, known?.id ?? '');
      if (reply === null) return undefined;
      const [id, data] = reply as [string, string | null | undefined];
      if (known?.id !== id) known = typeof data === 'string' ? { id, data: JSON.parse(data) as TaskData } : undefined;
      return known?.data;
    },
  };
}
