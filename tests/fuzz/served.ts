/** Campaigns whose rounds are requests to a server on real sockets, with a backend that computes nothing. */
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { startWyoming, type WyomingServer } from '../wyoming/start-wyoming.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';
import { threadTime, watchTurns } from './thread-time.ts';

const file = 'round.json';
/** Longest turn of the event loop. */
const mostMilliseconds = 200;

/** Outcome of a request: `failed` is an answer that a client must not be able to cause. */
export type Reply = 'used' | 'refused' | 'failed';

interface Mutated<Round> {
  readonly round: Round;
  /** In one line. */
  readonly change: string;
}

export interface ServedOptions<Round> {
  readonly valid: Round;
  mutate(random: Random): Mutated<Round> | Promise<Mutated<Round>>;
  send(server: WyomingServer, round: Round, random: Random): Promise<Reply>;
}

/** @param Round what is sent, as JSON */
export function createServedTarget<Round>({ valid, mutate, send }: ServedOptions<Round>): Target {
  let started: Promise<WyomingServer> | undefined;
  let seen = 0;
  return {
    refusals: ['INVALID_REQUEST'],
    prepare: (folder) => writeFile(join(folder, file), JSON.stringify(valid)),
    async mutate(_source, work, random) {
      const { round, change } = await mutate(random);
      await writeFile(join(work, file), JSON.stringify(round));
      return change;
    },
    async run(work, random) {
      const isFirst = started === undefined;
      started ??= startWyoming({ backend: { firstLevel: 0.1, stopAt: 2 } });
      const server = await started;
      const round = JSON.parse(await readFile(join(work, file), 'utf8')) as Round;
      const turns = watchTurns();
      const reply = await send(server, round, random);
      const { status } = await fetch(`${server.url}/healthz`);
      const longest = turns.stop();
      const lines = server.log.slice(seen);
      seen = server.log.length;
      const failure = lines.find((line) => line.includes('"level":50'));
      if (failure !== undefined) throw new Error(`the server logged ${failure.slice(0, 1000)}`);
      if (reply === 'failed' || status !== 200) throw new Error(`the request or /healthz failed: ${reply}, ${status}`);
      // The first request of a process loads code.
      if (longest > mostMilliseconds && !isFirst) throw new RangeError(`a turn took ${Math.round(longest)} ms`);
      if (reply === 'refused') throw new SvcError('INVALID_REQUEST', 'refused');
    },
  };
}

/** Outcome by the status of an answer; 501 and 503 name what a server lacks. */
export function replyOf(status: number): Reply {
  if (status < 400) return 'used';
  return status < 500 || status === 501 || status === 503 ? 'refused' : 'failed';
}

/** Bytes of an answer after which the rest would be more of the same. */
const enoughBytes = 16_384;
const quietMilliseconds = 40;
/** In a quiet time; the watch itself takes some. */
const idleMilliseconds = 8;

/**
 * Sends bytes over a connection of its own, in a few pieces, and returns what comes back until the server closes it, has
 * said enough, or has nothing more to do.
 */
export async function exchange(port: number, bytes: Buffer, random: Random): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  let count = 0;
  let isOver = false;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isOver = true;
  });
  socket.on('data', (part: Buffer) => {
    received.push(part);
    count += part.length;
  });
  for (let start = 0; start < bytes.length && !isOver; ) {
    const end = start + 1 + random(random(2) === 0 ? 200 : bytes.length);
    await new Promise((resolve) => socket.write(bytes.subarray(start, end), resolve));
    start = end;
  }
  let before = { count: -1, spent: 0 };
  while (!isOver && count < enoughBytes) {
    await new Promise((resolve) => setTimeout(resolve, quietMilliseconds));
    const now = { count, spent: threadTime() };
    if (now.count === before.count && now.spent - before.spent < idleMilliseconds) break;
    before = now;
  }
  socket.destroy();
  return Buffer.concat(received);
}
