/** Reads a live text ahead of its speech, and reports when its writer pauses. */
import { canceled } from '../../cancellation.ts';
import { ignore } from '../../errors.ts';
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

export class ReadAhead {
  readonly #iterator: AsyncIterator<string>;
  readonly #signal: AbortSignal;
  /** Pieces that were read; an empty string is a flush. */
  readonly #queue: string[] = [];
  #head = '';
  /** Length of the queue and the head. */
  #waiting = 0;
  #reads = 0;
  #settledReads = 0;
  #received = 0;
  #lastRead = performance.now();
  #progress: 'reading' | 'full' | 'done' | 'closed' = 'reading';
  #failure: { readonly error: unknown } | undefined;
  #isOpen = true;
  #wake = ignore;
  #makeRoom = ignore;

  constructor(text: LiveText, signal: AbortSignal) {
    this.#iterator = text[Symbol.asyncIterator]();
    this.#signal = signal;
    this.#signal.addEventListener('abort', this.#wakeUp, { once: true });
    this.#read().catch((error: unknown) => {
      this.#failure = { error };
      this.#wake();
    });
  }

  /** Text that was not taken yet: all of it up to the next flush, but not more than `textWindow`. */
  head(): string {
    return this.#head;
  }

  state(): TextState {
    if (this.#queue.length > 0) return this.#queue[0] === '' ? 'ended' : 'written';
    if (this.#progress === 'done' || this.#idle() >= idleAfter) return 'ended';
    return this.#idle() >= quietAfter ? 'quiet' : 'written';
  }

  take(length: number, reopen = ''): void {
    this.#head = reopen + this.#head.slice(length);
    this.#waiting -= length - reopen.length;
    this.#fill();
    if (this.#waiting < mostWaiting) this.#makeRoom();
  }

  /** Whether all has been taken and nothing follows. */
  isOver(): boolean {
    return this.#progress === 'done' && this.#head === '' && this.#queue.length === 0;
  }

  /** Waits until a burst of text has been read. @throws what the text throws, and CANCELLED */
  async settle(): Promise<void> {
    let before: number;
    // Once at least: what is done with a text that is all there must not block the event loop.
    do {
      before = this.#received;
      await yieldToEventLoop();
    } while (this.#received !== before && this.#head.length < textWindow);
    this.#throwIfOver();
    this.#settledReads = this.#reads;
  }

  async change(): Promise<void> {
    this.#throwIfOver();
    if (this.#reads !== this.#settledReads) return;
    const milliseconds = this.#stateLasts();
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
    this.#throwIfOver();
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#wakeUp);
    this.#progress = 'closed';
    this.#makeRoom();
    // Not awaited, as a generator that waits for its own text returns only after it.
    if (this.#isOpen) void Promise.resolve(this.#iterator.return?.()).catch(ignore);
    this.#isOpen = false;
  }

  readonly #wakeUp = (): void => this.#wake();

  #isClosed(): boolean {
    return this.#progress === 'closed';
  }

  async #next(): Promise<IteratorResult<string>> {
    try {
      const result = await this.#iterator.next();
      if (result.done) this.#isOpen = false;
      return result;
    } catch (error) {
      this.#isOpen = false;
      throw error;
    }
  }

  async #read(): Promise<void> {
    while (!this.#isClosed()) {
      if (this.#waiting >= mostWaiting) await this.#waitForRoom();
      if (this.#isClosed()) return;
      const { done, value } = await this.#next();
      if (this.#isClosed()) return;
      this.#lastRead = performance.now();
      this.#reads += 1;
      if (done) {
        this.#progress = 'done';
        this.#wake();
        return;
      }
      if (typeof value !== 'string') throw invalid('strings', 'the pieces of text', show(value), { param: 'text' });
      if (value !== '' || (this.#queue.at(-1) ?? this.#head) !== '') this.#queue.push(value);
      this.#waiting += value.length;
      this.#received += value.length;
      this.#fill();
      this.#wake();
      if (this.#reads % readsPerTurn === 0) await yieldToEventLoop();
    }
  }

  async #waitForRoom(): Promise<void> {
    this.#progress = 'full';
    await new Promise<void>((resolve) => {
      this.#makeRoom = resolve;
    });
    if (this.#isClosed()) return;
    this.#progress = 'reading';
    this.#lastRead = performance.now();
  }

  #fill(): void {
    const queue = this.#queue;
    if (this.#head === '') while (queue[0] === '') queue.shift();
    for (let next = queue[0]; next !== undefined && next !== '' && this.#head.length < textWindow; next = queue[0]) {
      const room = textWindow - this.#head.length;
      this.#head += next.slice(0, room);
      if (next.length > room) queue[0] = next.slice(room);
      else queue.shift();
    }
  }

  #idle(): number {
    return this.#progress === 'reading' ? performance.now() - this.#lastRead : 0;
  }

  /** Milliseconds until the state changes without new text. */
  #stateLasts(): number | undefined {
    const isFinal = this.#head === '' || this.#progress !== 'reading' || this.#queue.length > 0;
    if (isFinal || this.#idle() >= idleAfter) return undefined;
    return Math.ceil((this.#idle() < quietAfter ? quietAfter : idleAfter) - this.#idle());
  }

  #throwIfOver(): void {
    if (this.#signal.aborted) throw canceled(this.#signal);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
