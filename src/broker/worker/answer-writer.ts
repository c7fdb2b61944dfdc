/** Writes the audio of a task to its Redis stream (worker side). */

import { bytesOf } from '../../float-arrays.ts';
import type { RedisClient } from '../shared/connection.ts';
import type { BrokerKeys } from '../shared/keys.ts';
import { defineScript } from '../shared/script.ts';
import { continuePiece, pieceId, type TaskAddress, type TaskOutcome, type TaskPiece } from '../shared/task.ts';

/** Values written so far. `gone`: the listener has left or the task has ended. */
type Position = number | 'gone';

export type AnswerWriter = ReturnType<typeof createAnswerWriter>;

/**
 * KEYS: stream, end. ARGV: start, id, channel, task, samples, details. Appends only at the current end, which is kept apart
 * from the stream: Redis describes a stream with copies of its entries.
 */
const appendScript = `
local position = tonumber(redis.call('GET', KEYS[2]) or '-1')
if position ~= tonumber(ARGV[1]) then return {position, 0} end
if not redis.call('XADD', KEYS[1], 'NOMKSTREAM', ARGV[2], 'samples', ARGV[5], 'details', ARGV[6]) then return {-1, 0} end
position = string.match(ARGV[2], '^%d+')
redis.call('SET', KEYS[2], position, 'KEEPTTL')
redis.call('PUBLISH', ARGV[3], ARGV[4])
return {tonumber(position), redis.call('XLEN', KEYS[1])}`;

/** KEYS: stream, end. ARGV: channel, task, outcome, least position. Returns whether the answer is long enough. */
const finishScript = `
local position = redis.call('GET', KEYS[2])
if not position or position == '-1' then return 1 end
if tonumber(position) < tonumber(ARGV[4]) then return 0 end
redis.call('XADD', KEYS[1], 'NOMKSTREAM', position .. '-2', 'outcome', ARGV[3])
redis.call('SET', KEYS[2], '-1', 'KEEPTTL')
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1`;

const toPosition = (value: number): Position => (value < 0 ? 'gone' : value);

export function createAnswerWriter(redis: RedisClient, keys: BrokerKeys) {
  const append = defineScript(redis, 'svcAppend', appendScript);
  const finish = defineScript(redis, 'svcFinish', finishScript);
  return {
    /** Current end of the answer, whichever worker wrote it. */
    position: async ({ task }: TaskAddress) => toPosition(Number((await redis.get(keys.end(task))) ?? -1)),
    /**
     * Appends the part of a piece that the answer lacks: another worker may have written some of it already. Appends nothing
     * when the answer ends before the piece begins, as a broker that lost the latest pieces has it.
     *
     * @returns the end of the answer after the call, and how many pieces the front end has not read yet
     */
    async append({ task, news }: TaskAddress, piece: TaskPiece): Promise<{ position: Position; unread: number }> {
      const end = piece.start + piece.samples.length;
      let rest: TaskPiece | undefined = piece;
      for (;;) {
        const { start, samples, details, warnings }: TaskPiece = rest;
        const content = [bytesOf(samples), JSON.stringify({ ...details, warnings })];
        const reply = await append([keys.audio(task), keys.end(task)], start, pieceId(end), news, task, ...content);
        const [position, unread] = reply as [number, number];
        if (position < 0) return { position: 'gone', unread };
        if (position >= end || position < start) return { position, unread };
        rest = continuePiece(piece, position);
        if (rest === undefined) return { position, unread };
      }
    },
    /**
     * Ends the answer at its current position; does nothing when it has already ended.
     *
     * @param least where the answer must have arrived, else it is not ended
     */
    async finish({ task, news }: TaskAddress, outcome: TaskOutcome, least = 0): Promise<'ended' | 'behind'> {
      const isEnded = await finish([keys.audio(task), keys.end(task)], news, task, JSON.stringify(outcome), least);
      return isEnded === 1 ? 'ended' : 'behind';
    },
  };
}
