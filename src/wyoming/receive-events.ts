/** The events of a socket, which is read even while they are handled: otherwise, nobody would notice that it is closed. */
import type { Socket } from 'node:net';
import { SvcError } from '../errors.ts';
import type { WyomingEvent } from './event.ts';
import { createEventReader, defaultEventLimits, type EventLimits } from './event-reader.ts';

export interface ReceiveLimits {
  readonly events: EventLimits;
  /** Events that may wait to be handled, and bytes of theirs; then the socket isn't read. */
  readonly waitingEvents: number;
  readonly waitingBytes: number;
  /** Time limit from the first byte of an event to its last, in milliseconds. */
  readonly eventMilliseconds: number;
  /** Time limit for waiting for an event, in milliseconds. */
  readonly idleMilliseconds: number;
}

export const defaultReceiveLimits: ReceiveLimits = {
  events: defaultEventLimits,
  waitingEvents: 64,
  waitingBytes: 1024 * 1024,
  eventMilliseconds: 15_000,
  idleMilliseconds: 300_000,
};

/**
 * Ends when no event has arrived for a while.
 *
 * @param signal ends the wait
 * @throws SvcError INVALID_REQUEST, PAYLOAD_TOO_LARGE; the reason of `signal`
 */
export async function* receiveEvents(
  socket: Socket,
  limits: ReceiveLimits,
  signal: AbortSignal,
): AsyncGenerator<WyomingEvent, void, undefined> {
  const reader = createEventReader(limits.events);
  const waiting: WyomingEvent[] = [];
  let waitingBytes = 0;
  let failure: Error | undefined;
  let wake = (): void => undefined;
  let slow: NodeJS.Timeout | undefined;

  function fail(error: Error): void {
    failure ??= error;
    // Discards the rest.
    socket.off('data', take).resume();
    wake();
  }

  function stopTimer(): void {
    clearTimeout(slow);
    slow = undefined;
  }

  const giveUp = (): void => fail(new SvcError('INVALID_REQUEST', 'an event took too long to arrive'));

  function take(bytes: Uint8Array): void {
    waitingBytes += bytes.length;
    try {
      for (const event of reader.push(bytes)) {
        stopTimer();
        waiting.push(event);
      }
    } catch (error) {
      fail(error as Error);
      return;
    }
    const isFull = waiting.length >= limits.waitingEvents || (waiting.length > 0 && waitingBytes > limits.waitingBytes);
    if (isFull) socket.pause();
    if (isFull) stopTimer();
    else if (reader.isInside) slow ??= setTimeout(giveUp, limits.eventMilliseconds);
    wake();
  }

  /** @returns whether something happened in time */
  async function somethingHappens(): Promise<boolean> {
    let idle: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve) => {
        wake = () => resolve(true);
        signal.addEventListener('abort', wake, { once: true });
        idle = setTimeout(() => resolve(reader.isInside), limits.idleMilliseconds);
      });
    } finally {
      clearTimeout(idle);
      signal.removeEventListener('abort', wake);
    }
  }

  socket.on('data', take);
  try {
    for (;;) {
      signal.throwIfAborted();
      const event = waiting.shift();
      if (event !== undefined) {
        yield event;
        continue;
      }
      if (failure !== undefined) throw failure;
      waitingBytes = 0;
      socket.resume();
      if (!(await somethingHappens())) return;
    }
  } finally {
    stopTimer();
    socket.off('data', take).resume();
  }
}
