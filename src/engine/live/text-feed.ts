/** A text to speak that is pushed, such as by the messages of a connection. */
import { z } from 'zod';
import { parse, requestError } from '../../validation.ts';
import type { LiveText } from './live-text.ts';

export type TextFeed = ReturnType<typeof createTextFeed>;

export interface TextFeedOptions {
  /** Maximum length of the whole text in UTF-16 code units (default: any). */
  readonly maxCharacters?: number | undefined;
}

/** UTF-16 code units that wait before `push` does. */
const mostWaiting = 65_536;

const optionsSchema = z.object({
  maxCharacters: z.union([z.number(), z.literal(Number.POSITIVE_INFINITY)], { error: 'a number' }).optional(),
});

/** @throws SvcError INVALID_REQUEST for options of other types */
export function createTextFeed(options: TextFeedOptions = {}) {
  const { maxCharacters = Number.POSITIVE_INFINITY } = parse(optionsSchema, options, 'the options of the text feed');
  let queue: string[] = [];
  let waiting = 0;
  let total = 0;
  let state: 'open' | 'ended' | 'closed' = 'open';
  let failure: Error | undefined;
  let wakeReader = (): void => undefined;
  let wakeWriters: (() => void)[] = [];

  const woken = (): Promise<void> =>
    new Promise((resolve) => {
      wakeReader = resolve;
    });

  function makeRoom(): void {
    for (const wake of wakeWriters) wake();
    wakeWriters = [];
  }

  function close(): void {
    state = 'closed';
    queue = [];
    waiting = 0;
    makeRoom();
  }

  async function* read(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        if (failure !== undefined) throw failure;
        const taken = queue;
        queue = [];
        waiting = 0;
        makeRoom();
        yield* taken;
        if (queue.length > 0 || failure !== undefined) continue;
        if (state !== 'open') return;
        await woken();
      }
    } finally {
      close();
    }
  }

  const add = (text: string): void => {
    if (state !== 'open') return;
    queue.push(text);
    waiting += text.length;
    wakeReader();
  };

  const reading = read();
  const text: LiveText = {
    [Symbol.asyncIterator]: () => ({
      next: () => reading.next(),
      // Does not wait for text that may never come, as the generator would.
      async return() {
        close();
        wakeReader();
        return { done: true, value: undefined };
      },
    }),
  };
  return {
    /** For a request; can be iterated once. */
    text,
    /**
     * Adds text. Await it, so that a writer far ahead of the speech waits.
     *
     * @returns whether more may follow: false after the end, or when the reader is gone
     * @throws SvcError INVALID_REQUEST when the text is longer than allowed
     */
    async push(text: string): Promise<boolean> {
      if (state !== 'open') return false;
      total += text.length;
      if (total > maxCharacters) throw requestError(`text is longer than ${maxCharacters} characters`, 'text');
      if (text !== '') add(text);
      while (waiting > mostWaiting && state === 'open') await new Promise<void>((resolve) => wakeWriters.push(resolve));
      return state === 'open';
    },
    /** Has all text so far spoken now. */
    flush: (): void => {
      if (queue.at(-1) !== '') add('');
    },
    end(): void {
      if (state !== 'open') return;
      state = 'ended';
      makeRoom();
      wakeReader();
    },
    fail(error: Error): void {
      if (state === 'closed') return;
      failure = error;
      queue = [];
      makeRoom();
      wakeReader();
    },
  };
}
