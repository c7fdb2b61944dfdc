/** Writes the audio of a task to its Redis stream (worker side). */
import type { Redis } from 'ioredis';
import { bytesOf } from '../float-bytes.ts';
import { continuePiece, pieceId } from './continuation.ts';
import type { BrokerKeys } from './keys.ts';
import { defineScript } from './script.ts';
import type { TaskAddress, TaskOutcome, TaskPiece } from './task.ts';

/** Values written so far. `gone`: the listener has left or the task has ended. */
export type Position = number | 'gone';

export interface Appended {
  /** End of the answer after the call. */
  readonly position: Position;
  /** Pieces that the front end has not read yet. */
  readonly unheard: number;
}

export interface AnswerWriter {
  /** Current end of the answer, whichever worker wrote it. */
  position(task: TaskAddress): Promise<Position>;
  /** Appends the part of a piece that the answer lacks: another worker may have written some of it already. */
  append(task: TaskAddress, piece: TaskPiece): Promise<Appended>;
  /** Ends the answer at its current position; does nothing when it has already ended. */
  finish(task: TaskAddress, outcome: TaskOutcome): Promise<void>;
}

/** Position and kind of the last entry, even if it has been read and trimmed. */
const readEnd = `
local function readEnd(key)
  local described = redis.pcall('XINFO', 'STREAM', key)
  if described.err then return nil end
  for index = 1, #described, 2 do
    if described[index] == 'last-generated-id' then
      local position, kind = string.match(described[index + 1], '^(%d+)-(%d+)$')
      return tonumber(position), tonumber(kind)
    end
  end
end`;

const positionScript = `${readEnd}
local position, kind = readEnd(KEYS[1])
if position == nil or kind == 2 then return -1 end
return position`;

/** ARGV: start, id, channel, task, samples, details. Appends only at the current end. */
const appendScript = `${readEnd}
local position, kind = readEnd(KEYS[1])
if position == nil or kind == 2 then return {-1, 0} end
if position ~= tonumber(ARGV[1]) then return {position, 0} end
redis.call('XADD', KEYS[1], ARGV[2], 'samples', ARGV[5], 'details', ARGV[6])
redis.call('PUBLISH', ARGV[3], ARGV[4])
return {tonumber(string.match(ARGV[2], '^%d+')), redis.call('XLEN', KEYS[1])}`;

/** ARGV: channel, task, outcome. */
const finishScript = `${readEnd}
local position, kind = readEnd(KEYS[1])
if position == nil or kind == 2 then return 0 end
redis.call('XADD', KEYS[1], string.format('%.0f', position) .. '-2', 'outcome', ARGV[3])
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1`;

const toPosition = (value: number): Position => (value < 0 ? 'gone' : value);

export function createAnswerWriter(redis: Redis, keys: BrokerKeys): AnswerWriter {
  const readPosition = defineScript(redis, 'svcPosition', positionScript);
  const append = defineScript(redis, 'svcAppend', appendScript);
  const finish = defineScript(redis, 'svcFinish', finishScript);
  return {
    position: async ({ task }) => toPosition(Number(await readPosition([keys.audio(task)]))),
    async append({ task, news }, piece) {
      const end = piece.start + piece.samples.length;
      let rest: TaskPiece | undefined = piece;
      for (;;) {
        const { start, samples, details, warnings }: TaskPiece = rest;
        const content = [bytesOf(samples), JSON.stringify({ ...details, warnings })];
        const reply = await append([keys.audio(task)], start, pieceId(end), news, task, ...content);
        const [position, unheard] = reply as [number, number];
        if (position < 0) return { position: 'gone', unheard };
        if (position >= end) return { position, unheard };
        rest = continuePiece(piece, position);
        if (rest === undefined) return { position, unheard };
      }
    },
    async finish({ task, news }, outcome) {
      await finish([keys.audio(task)], news, task, JSON.stringify(outcome));
    },
  };
}
