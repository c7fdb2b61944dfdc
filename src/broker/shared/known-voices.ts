/**
 * Which workers have a voice in memory. A worker that is woken for a task leaves it to one that knows the task's voice,
 * unless that one is busier.
 */
import { createHash } from 'node:crypto';
import type { BrokerClient } from './connection.ts';
import type { BrokerKeys, taskQueues } from './keys.ts';
import { defineScript } from './script.ts';
import { aliveMilliseconds } from './task.ts';

/** Voices that a worker counts as known: its memory of prefixes holds as many references of ten seconds with VoxCPM 2. */
const mostVoices = 20;
/** Workers that are asked for a voice: those that spoke it last. */
const mostWorkers = 8;
/** How long a voice that nobody speaks is kept, in seconds. */
const voiceSeconds = 3_600;
/** How long a worker that doesn't react stays invited, in milliseconds. */
const invitedMilliseconds = 1_000;

type Text = keyof typeof taskQueues;

export interface KnownVoices {
  /** Voices spoken that were known, and that were not. */
  readonly counts: { readonly hits: number; readonly misses: number };
  /** Counts the voice of a task that this worker takes; undefined for none. */
  speak(voice: string | undefined): void;
  /** Tells the others which part of the slots is in use, if anyone speaks voices. */
  reportLoad(text: Text, load: number): void;
  /** Shows that this worker lives, with its load, and learns whether anyone speaks voices. */
  beat(text: Text, load: number): void;
  /**
   * Wakes another worker if it should take the next task.
   *
   * @param step part of the slots that one task uses
   */
  leaveNext(text: Text, load: number, step: number): Promise<boolean>;
  leave(): Promise<void>;
}

const jobName = /^voice ([0-9a-f]{32})$/;

/** Name of a BullMQ job, by which workers know the voice of a task before they take it. */
export function nameJob(kind: string, floats: Buffer): string {
  if (floats.length === 0 || kind === 'encode') return kind;
  return `voice ${createHash('sha256').update(floats).digest('hex').slice(0, 32)}`;
}

export const voiceOfJob = (name: string): string | undefined => jobName.exec(name)?.[1];

/**
 * KEYS: waiting tasks, prioritized tasks. ARGV: prefixes of jobs, voices, loads and markers; this worker, its load, a
 * step, most workers, milliseconds. The load of a worker expires with it.
 */
const leaveNextScript = `
local id = redis.call('LINDEX', KEYS[1], -1) or redis.call('ZRANGE', KEYS[2], 0, 0)[1]
local voice = id and string.match(redis.call('HGET', ARGV[1] .. id, 'name') or '', '^voice (%x+)$')
if not voice then return 0 end
local own, least, best, isKnown = tonumber(ARGV[6]), 1, nil, false
for _, worker in ipairs(redis.call('ZREVRANGE', ARGV[2] .. voice, 0, ARGV[8] - 1)) do
  local load = tonumber(redis.call('GET', ARGV[3] .. worker) or '')
  if worker == ARGV[5] then isKnown = true
  elseif not load then redis.call('ZREM', ARGV[2] .. voice, worker)
  elseif load < least then best, least = worker, load end
end
if not best or least > own or (least == own and isKnown) then return 0 end
redis.call('INCRBYFLOAT', ARGV[3] .. best, ARGV[7])
redis.call('ZADD', ARGV[4] .. best, 0, '0')
redis.call('PEXPIRE', ARGV[4] .. best, ARGV[9])
return 1`;

/** KEYS: voice. ARGV: worker, most workers, seconds. */
const speakScript = `
redis.call('ZADD', KEYS[1], redis.call('TIME')[1], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])`;

/** @param onError is called when the broker doesn't learn something, which costs no more than a preference */
export function createKnownVoices(
  redis: BrokerClient,
  keys: BrokerKeys,
  workerId: string,
  onError: (error: Error) => void,
): KnownVoices {
  const leaveNext = defineScript(redis, 'svcLeaveNext', leaveNextScript);
  const speak = defineScript(redis, 'svcSpeakVoice', speakScript);
  /** The least recently spoken voice comes first. */
  const voices = new Set<string>();
  const counts = { hits: 0, misses: 0 };
  /** Whether any worker of the queue speaks voices; else nobody need ask. */
  let isUsed = false;

  const setLoad = (text: Text, load: number): Promise<unknown> =>
    redis.set(keys.load(workerId, text), load, 'PX', aliveMilliseconds);

  function forget(voice: string): Promise<unknown> {
    voices.delete(voice);
    return redis.zrem(keys.voice(voice), workerId);
  }

  return {
    counts,
    speak(voice) {
      if (voice === undefined) return;
      counts[voices.delete(voice) ? 'hits' : 'misses'] += 1;
      voices.add(voice);
      isUsed = true;
      const [oldest] = voices;
      void Promise.all([
        speak([keys.voice(voice)], workerId, mostWorkers, voiceSeconds),
        redis.set(keys.voicesInUse, 1, 'EX', voiceSeconds),
        voices.size > mostVoices && oldest !== undefined && forget(oldest),
      ]).catch(onError);
    },
    reportLoad(text, load) {
      if (isUsed) void setLoad(text, load).catch(onError);
    },
    beat(text, load) {
      void Promise.all([setLoad(text, load), redis.exists(keys.voicesInUse)])
        .then(([, used]) => {
          isUsed = used === 1;
        })
        .catch(onError);
    },
    async leaveNext(text, load, step) {
      if (!isUsed || redis.status !== 'ready') return false;
      const prefixes = [keys.job('', text), keys.voice(''), keys.load('', text), keys.marker('', text)];
      const queue = [keys.waiting(text), keys.prioritized(text)];
      const settings = [workerId, load, step, mostWorkers, invitedMilliseconds];
      return (await leaveNext(queue, ...prefixes, ...settings)) === 1;
    },
    async leave() {
      isUsed = false;
      const loads = (['whole', 'live'] as const).map((text) => keys.load(workerId, text));
      await Promise.all([redis.del(...loads), ...[...voices].map(forget)]);
    },
  };
}
