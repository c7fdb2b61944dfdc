/**
 * Passes a live text through the broker. The front end cuts it, because where a text is cut depends on when it was written:
 * a worker that takes over finds the same pieces, and generates the same audio.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { throwIfCanceled } from '../../cancellation.ts';
import type { LiveSegment } from '../../engine/live/live-text.ts';
import { persist, type RedisClient } from './connection.ts';
import type { BrokerKeys } from './keys.ts';
import { leaseMilliseconds } from './task.ts';

const pieceSchema = z.object({ text: z.string(), ends: z.enum(['in paragraph', 'paragraph', 'text']) });

/** Field with the number of pieces, once the text has ended. */
const countField = 'count';

/** Pieces that wait at the broker. */
const mostAhead = 1;

export function createTextSender(
  { redis, keys }: { readonly redis: RedisClient; readonly keys: BrokerKeys },
  task: string,
  pieces: AsyncIterable<LiveSegment>,
) {
  const key = keys.text(task);
  /** Last sent values by field. */
  const sent = new Map<string, string>();
  let taken = 0;
  let isStopped = false;
  let wake = (): void => undefined;

  /** Repeatable. */
  const write = (fields: ReadonlyMap<string, string>): Promise<void> =>
    persist(async () => {
      const batch = redis.pipeline().hset(key, fields).pexpire(key, leaseMilliseconds).publish(keys.written, task);
      const failed = (await batch.exec())?.find(([error]) => error !== null);
      if (failed !== undefined) throw failed[0];
    });

  async function add(field: string, value: string): Promise<void> {
    sent.set(field, value);
    await write(new Map([[field, value]]));
  }

  return {
    /** Resolves when all has been sent. @throws what the text throws; SvcError BACKEND_UNAVAILABLE */
    async send(): Promise<void> {
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
    /** Says that a worker speaks this many pieces: as in one process, a piece is cut when the one before begins. */
    taken(count: number): void {
      taken = Math.max(taken, count);
      wake();
    },
    /** Ends the text. */
    stop(): void {
      isStopped = true;
      wake();
    },
    /** Sends again what a broker that lost its data has forgotten. */
    async restore(): Promise<void> {
      if (sent.size > 0) await write(sent);
    },
  };
}

export type TextReceivers = Awaited<ReturnType<typeof createTextReceivers>>;

/** How often a text is looked for without a message, which may be lost, in milliseconds. */
const lookMilliseconds = 1_000;

export async function createTextReceivers(redis: RedisClient, keys: BrokerKeys) {
  // A cluster has the method too, with other options.
  const subscriber: RedisClient = (redis as Redis).duplicate();
  const receiving = new Map<string, () => void>();
  subscriber.on('error', () => undefined);
  subscriber.on('message', (_channel: string, task: string) => receiving.get(task)?.());
  await subscriber.subscribe(keys.written);

  /** The pieces of a task's text, from its beginning. @throws SvcError CANCELLED */
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
