/**
 * Passes a live text through the broker. The front end cuts it, because where a text is cut depends on when it was written:
 * a worker that takes over finds the same pieces, and generates the same audio.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { throwIfCanceled } from '../../cancellation.ts';
import type { LiveSegment } from '../../engine/live/live-text.ts';
import { brokerUnreachable, type RedisClient } from './connection.ts';
import type { BrokerKeys } from './keys.ts';
import { leaseMilliseconds } from './task.ts';

const pieceSchema = z.object({ text: z.string(), ends: z.enum(['in paragraph', 'paragraph', 'text']) });

/** Field with the number of pieces, once the text has ended. */
const countField = 'count';

export interface TextSender {
  /** Resolves when all has been sent. @throws what the text throws; SvcError BACKEND_UNAVAILABLE */
  send(): Promise<void>;
  /** Says that a worker speaks this many pieces: as in one process, a piece is cut when the one before begins. */
  taken(pieces: number): void;
  /** Ends the text. */
  stop(): void;
  /** Sends again what a broker that lost its data has forgotten. */
  restore(): Promise<void>;
}

/** Pieces that wait at the broker. */
const mostAhead = 1;

export function createTextSender(
  { redis, keys }: { readonly redis: RedisClient; readonly keys: BrokerKeys },
  task: string,
  pieces: AsyncIterable<LiveSegment>,
): TextSender {
  const key = keys.text(task);
  /** Last sent values by field. */
  const sent = new Map<string, string>();
  let taken = 0;
  let isStopped = false;
  let wake = (): void => undefined;

  /** Repeatable. */
  async function write(fields: ReadonlyMap<string, string>): Promise<void> {
    const since = performance.now();
    for (;;) {
      try {
        const batch = redis.pipeline().hset(key, fields).pexpire(key, leaseMilliseconds).publish(keys.written, task);
        const failed = (await batch.exec())?.find(([error]) => error !== null);
        if (failed === undefined) return;
        throw failed[0];
      } catch (thrown) {
        if (performance.now() - since > leaseMilliseconds) throw brokerUnreachable(thrown);
        await wait(100);
      }
    }
  }

  async function add(field: string, value: string): Promise<void> {
    sent.set(field, value);
    await write(new Map([[field, value]]));
  }

  return {
    async send() {
      let count = 0;
      for await (const piece of pieces) {
        await add(String(count), JSON.stringify(piece));
        count += 1;
        while (count > taken + mostAhead && !isStopped) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (isStopped) return;
      }
      await add(countField, String(count));
    },
    taken(count) {
      taken = Math.max(taken, count);
      wake();
    },
    stop() {
      isStopped = true;
      wake();
    },
    restore: async () => {
      if (sent.size > 0) await write(sent);
    },
  };
}

export interface TextReceivers {
  /** The pieces of a task's text, from its beginning. @throws SvcError CANCELLED */
  receive(task: string, signal: AbortSignal): AsyncGenerator<LiveSegment, void, undefined>;
  close(): void;
}

/** How often a text is looked for without a message, which may be lost, in milliseconds. */
const lookMilliseconds = 1_000;

export async function createTextReceivers(redis: RedisClient, keys: BrokerKeys): Promise<TextReceivers> {
  // A cluster has the method too, with other options.
  const subscriber: RedisClient = (redis as Redis).duplicate();
  const receiving = new Map<string, () => void>();
  subscriber.on('error', () => undefined);
  subscriber.on('message', (_channel: string, task: string) => receiving.get(task)?.());
  await subscriber.subscribe(keys.written);

  async function* receive(task: string, signal: AbortSignal): AsyncGenerator<LiveSegment, void, undefined> {
    let hasNews = false;
    let wake = (): void => undefined;
    const notice = (): void => {
      hasNews = true;
      wake();
    };
    receiving.set(task, notice);
    signal.addEventListener('abort', notice);
    try {
      for (let index = 0; ; ) {
        throwIfCanceled(signal);
        hasNews = false;
        const [piece, count] = await redis.hmget(keys.text(task), String(index), countField);
        if (typeof piece === 'string') {
          index += 1;
          yield pieceSchema.parse(JSON.parse(piece));
        } else if (typeof count === 'string' && index >= Number(count)) {
          return;
        } else if (!hasNews) {
          const timer = setTimeout(notice, lookMilliseconds);
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          clearTimeout(timer);
        }
      }
    } finally {
      signal.removeEventListener('abort', notice);
      receiving.delete(task);
    }
  }

  return { receive, close: () => subscriber.disconnect() };
}
