/** The worker's side of the stream of one task's audio. */
import type { Redis } from 'ioredis';
import { bytesOf } from '../float-bytes.ts';
import { continuePiece, pieceId } from './continuation.ts';
import type { BrokerKeys } from './keys.ts';
import { defineScript } from './script.ts';
import type { TaskAddress, TaskOutcome, TaskPiece } from './task.ts';

/** `gone`: nobody listens any more, or the task has ended. */
export type Position = number | 'gone';

export interface Appended {
  /** Where the answer ends now. */
  readonly position: Position;
  /** Pieces that wait to be heard. */
  readonly unheard: number;
}

export interface AnswerWriter {
  /** Where the answer ends, whoever wrote it. */
  position(task: TaskAddress): Promise<Position>;
  /** Adds what the answer lacks of a piece. Another worker may have been faster, with this piece or a part of it. */
  append(task: TaskAddress, piece: TaskPiece): Promise<Appended>;
  /** Ends the answer, wherever it is; does nothing when it has ended. */
  finish(task: TaskAddress, outcome: TaskOutcome): Promise<void>;
}

/** The position and kind of the last entry, whether it is still there or was heard and cut off. */
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

/** ARGV: start, id, channel, task, samples, details. Refuses what does not follow on the end. */
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
