/** Reads a live text ahead of its speech, and reports when its writer pauses. */

import { canceled } from '../../cancellation.ts';
import { yieldToEventLoop } from '../../event-loop.ts';
import { show } from '../../messages.ts';
import { invalid } from '../../validation.ts';
import type { LiveText } from './live-text.ts';

/** How much text is looked at, in UTF-16 code units, so that a text far ahead of its speech takes linear time. */
export const textWindow = 4096;
/** How much is read ahead; a faster writer waits. */
const mostWaiting = 65_536;
/** Reads between two turns of the event loop, which a text that is always there would block. */
const readsPerTurn = 256;
/** A pause after which a sentence may be over, in milliseconds. */
const quietAfter = 300;
/** A pause after which nothing is waited for. */
const idleAfter = 2000;

/**
 * State of the text that was read: `written` if more follows soon, `quiet` if its writer pauses, `ended` if nothing follows or all
 * of it is to be spoken now.
 */
export type TextState = 'written' | 'quiet' | 'ended';

export interface ReadAhead {
  /** Text that was not taken yet: all of it up to the next flush, but not more than `textWindow`. */
  head(): string;
  state(): TextState;
  /** Removes this much of the head. */
  take(length: number, reopen?: string): void;
  /** Whether all has been taken and nothing follows. */
  isOver(): boolean;
  /** Waits until a burst of text has been read. @throws what the text throws, and CANCELLED */
  settle(): Promise<void>;
  /** Waits for more text or another state. */
  change(): Promise<void>;
  /** Ends the text. */
  close(): void;
}

/** Starts to read at once. */
export function readAhead(text: LiveText, signal: AbortSignal): ReadAhead {
  const iterator = text[Symbol.asyncIterator]();
  /** An empty string is a flush. */
  const queue: string[] = [];
  let head = '';
  /** Length of the queue and the head. */
  let waiting = 0;
  let reads = 0;
  /** Reads when the text was last settled. */
  let settledReads = 0;
  /** Length of all that was read. */
  let received = 0;
  let lastRead = performance.now();
  let progress: 'reading' | 'full' | 'done' | 'closed' = 'reading';
  let failure: { readonly error: unknown } | undefined;
  let isOpen = true;
  let wake = (): void => undefined;
  let makeRoom = (): void => undefined;

  const isClosed = (): boolean => progress === 'closed';

  async function next(): Promise<IteratorResult<string>> {
    try {
      const result = await iterator.next();
      if (result.done) isOpen = false;
      return result;
    } catch (error) {
      isOpen = false;
      throw error;
    }
  }

  async function read(): Promise<void> {
    while (!isClosed()) {
      if (waiting >= mostWaiting) {
        progress = 'full';
        await new Promise<void>((resolve) => {
          makeRoom = resolve;
        });
        if (isClosed()) return;
        progress = 'reading';
        lastRead = performance.now();
      }
      const { done, value } = await next();
      if (isClosed()) return;
      lastRead = performance.now();
      reads += 1;
      if (done) {
        progress = 'done';
        wake();
        return;
      }
      if (typeof value !== 'string') throw invalid('strings', 'the pieces of text', show(value), { param: 'text' });
      if (value !== '' || (queue.at(-1) ?? head) !== '') queue.push(value);
      waiting += value.length;
      received += value.length;
      fill();
      wake();
      if (reads % readsPerTurn === 0) await yieldToEventLoop();
    }
  }

  function fill(): void {
    if (head === '') while (queue[0] === '') queue.shift();
    for (let next = queue[0]; next !== undefined && next !== '' && head.length < textWindow; next = queue[0]) {
      const room = textWindow - head.length;
      head += next.slice(0, room);
      if (next.length > room) queue[0] = next.slice(room);
      else queue.shift();
    }
  }

  const idle = (): number => (progress === 'reading' ? performance.now() - lastRead : 0);

  function state(): TextState {
    if (queue.length > 0) return queue[0] === '' ? 'ended' : 'written';
    if (progress === 'done' || idle() >= idleAfter) return 'ended';
    return idle() >= quietAfter ? 'quiet' : 'written';
  }

  /** Milliseconds until the state changes without new text. */
  function stateLasts(): number | undefined {
    if (head === '' || progress !== 'reading' || queue.length > 0 || idle() >= idleAfter) return undefined;
    return Math.ceil((idle() < quietAfter ? quietAfter : idleAfter) - idle());
  }

  function throwIfOver(): void {
    if (signal.aborted) throw canceled(signal);
    if (failure !== undefined) throw failure.error;
  }

  function close(): void {
    signal.removeEventListener('abort', wakeUp);
    progress = 'closed';
    makeRoom();
    // Not awaited, as a generator that waits for its own text returns only after it.
    if (isOpen) void Promise.resolve(iterator.return?.()).catch(() => undefined);
    isOpen = false;
  }

  const wakeUp = (): void => wake();
  signal.addEventListener('abort', wakeUp, { once: true });
  read().catch((error: unknown) => {
    failure = { error };
    wake();
  });

  return {
    head: () => head,
    state,
    take(length, reopen = '') {
      head = reopen + head.slice(length);
      waiting -= length - reopen.length;
      fill();
      if (waiting < mostWaiting) makeRoom();
    },
    isOver: () => progress === 'done' && head === '' && queue.length === 0,
    async settle() {
      let before: number;
      // Once at least: what is done with a text that is all there must not block the event loop.
      do {
        before = received;
        await yieldToEventLoop();
      } while (received !== before && head.length < textWindow);
      throwIfOver();
      settledReads = reads;
    },
    async change() {
      throwIfOver();
      if (reads !== settledReads) return;
      const milliseconds = stateLasts();
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
      });
      clearTimeout(timer);
      throwIfOver();
    },
    close,
  };
}
