/** Reads the answers of all tasks of a front end: those with new audio at the same time share one round trip. */
import type { RedisClient } from '../shared/connection.ts';
import type { BrokerKeys } from '../shared/keys.ts';
import { defineScript } from '../shared/script.ts';
import { leaseMilliseconds } from '../shared/task.ts';

export interface AnswerEntry {
  readonly id: string;
  readonly fields: ReadonlyMap<string, Buffer>;
}

export const mostEntries = 8;
/** Answers in one command, which others at the broker wait for. */
const answersAtOnce = 512;

interface Wanted {
  readonly key: string;
  readonly last: string;
  readonly resolve: (entries: readonly AnswerEntry[]) => void;
  readonly reject: (error: unknown) => void;
}

/** KEYS: streams. ARGV: the id of the first entry that stays, of each. */
const trimScript = `for index = 1, #KEYS do redis.call('XTRIM', KEYS[index], 'MINID', ARGV[index]) end`;

/** KEYS: stream, end. ARGV: position, lease. The stream exists already if only the job, or the latest audio was lost. */
const openScript = `
redis.pcall('XADD', KEYS[1], ARGV[1] .. '-1', 'opened', '')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local position = tonumber(redis.call('GET', KEYS[2]) or '0')
if position >= 0 then redis.call('SET', KEYS[2], math.max(position, ARGV[1])) end
redis.call('PEXPIRE', KEYS[2], ARGV[2])`;

type Reply = readonly [key: Buffer, entries: readonly [id: Buffer, fields: readonly Buffer[]][]][];

export function createAnswerReader(redis: RedisClient, keys: BrokerKeys) {
  const trim = defineScript(redis, 'svcTrim', trimScript);
  const open = defineScript(redis, 'svcOpen', openScript);
  const wanted: Wanted[] = [];
  let isReading = false;

  /** While one round trip runs, the next one gathers. */
  async function readAll(): Promise<void> {
    isReading = true;
    while (wanted.length > 0) {
      const round = wanted.splice(0, answersAtOnce);
      await readRound(round).catch((error: unknown) => {
        for (const { reject } of round) reject(error);
      });
    }
    isReading = false;
  }

  async function readRound(round: readonly Wanted[]): Promise<void> {
    const streams = round.map(({ key }) => key);
    const ids = round.map(({ last }) => last);
    // Both commands leave in one packet.
    const [reply] = await Promise.all([
      redis.xreadBuffer('COUNT', mostEntries, 'STREAMS', ...streams, ...ids) as Promise<Reply | null>,
      trim(streams, ...ids),
    ]);
    const found = new Map((reply ?? []).map(([key, entries]) => [key.toString(), entries]));
    for (const { key, resolve } of round) {
      resolve((found.get(key) ?? []).map(([id, fields]) => ({ id: id.toString(), fields: toMap(fields) })));
    }
  }

  return {
    /** Creates the answer, which marks it as listened to; an existing one continues at `position` or later. */
    async open(task: string, position: number): Promise<void> {
      await open([keys.audio(task), keys.end(task)], position, leaseMilliseconds);
    },
    /**
     * Entries after `last`, at most `mostEntries`; removes those before `last`, which stays as a sign of the listener.
     * Rejects with the Redis library's errors.
     */
    read: (task: string, last: string): Promise<readonly AnswerEntry[]> =>
      new Promise((resolve, reject) => {
        wanted.push({ key: keys.audio(task), last, resolve, reject });
        // Entries of the same packet join.
        if (!isReading) {
          isReading = true;
          setImmediate(() => void readAll());
        }
      }),
  };
}

/** From names and values in turn. */
const toMap = (fields: readonly Buffer[]): ReadonlyMap<string, Buffer> =>
  new Map(fields.flatMap((value, index) => (index % 2 === 1 ? [[String(fields[index - 1]), value]] : [])));
