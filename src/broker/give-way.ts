/** Tasks of a batch give way to listeners: while all slots of a worker are taken, it returns some to the queue. */
import type { Redis } from 'ioredis';
import { SvcError } from '../errors.ts';
import type { BrokerKeys } from './keys.ts';

export interface Way {
  /** Whether the task was ended in favor of a listener. */
  readonly isGiven: boolean;
  leave(): void;
}

export interface GiveWay {
  /** @param end ends the task, which another worker, or this one, takes again later */
  enter(end: (reason: SvcError) => void): Way;
  close(): void;
}

interface Entry {
  readonly end: (reason: SvcError) => void;
  isGiven: boolean;
}

/** How long a listener may find a worker full of tasks of a batch. */
const lookMilliseconds = 150;

/** @param isFull whether the worker has no free slot */
export function createGiveWay(redis: Redis, keys: BrokerKeys, isFull: () => boolean): GiveWay {
  const entries: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    // Tasks of a batch wait elsewhere, because they have a priority.
    const waiting = isFull() ? await redis.llen(keys.waiting).catch(() => 0) : 0;
    const given = entries.filter(({ isGiven }) => isGiven).length;
    // The youngest have the least to lose.
    const youngest = entries.filter(({ isGiven }) => !isGiven).reverse();
    for (const entry of youngest.slice(0, Math.max(0, waiting - given))) {
      entry.isGiven = true;
      entry.end(new SvcError('CANCELLED', 'the task gives way to a listener'));
    }
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = entries.length === 0 ? undefined : setTimeout(() => void look(), lookMilliseconds);
  }

  return {
    enter(end) {
      const entry: Entry = { end, isGiven: false };
      entries.push(entry);
      if (timer === undefined) schedule();
      return {
        get isGiven() {
          return entry.isGiven;
        },
        leave: () => void entries.splice(entries.indexOf(entry), 1),
      };
    },
    close() {
      entries.length = 0;
      schedule();
    },
  };
}
