/** The events of a socket, which is read even while they are handled, so that its closing is noticed. */
import type { Socket } from 'node:net';
import { waitFor } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
import { yieldToEventLoop } from '../event-loop.ts';
import type { WyomingEvent } from './event.ts';
import { createEventReader, defaultEventLimits } from './event-reader.ts';

export const defaultReceiveLimits = {
  events: defaultEventLimits,
  /** Pieces that may wait to be parsed, and their bytes; then the socket isn't read. */
  waitingPieces: 256,
  waitingBytes: 1024 * 1024,
  /** Time limit from the first byte of an event to its last, in milliseconds. */
  eventMilliseconds: 15_000,
  /** Time limit for waiting for an event, in milliseconds. */
  idleMilliseconds: 300_000,
};

export type ReceiveLimits = Readonly<typeof defaultReceiveLimits>;

/**
 * Ends when no event has arrived for a while. An event is parsed when the one before it was handled, in a later turn of the
 * event loop, so that thousands of small ones don't keep other clients waiting.
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
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let wake = (): void => undefined;

  function hold(bytes: Uint8Array): void {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waiting.length >= limits.waitingPieces || waitingBytes > limits.waitingBytes) socket.pause();
    wake();
  }

  /** @returns whether something happened in time */
  function somethingHappens(milliseconds: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const begin = (resolve: (happened: boolean) => void): void => {
      wake = () => resolve(true);
      timer = setTimeout(resolve, milliseconds, false);
    };
    return waitFor(signal, begin, () => clearTimeout(timer)).catch(() => true);
  }

  /** When the server began to wait for the rest of an event. */
  let partSince: number | undefined;
  socket.on('data', hold);
  try {
    for (;;) {
      for (let bytes = waiting.shift(); bytes !== undefined; bytes = waiting.shift()) {
        waitingBytes -= bytes.length;
        for (const event of reader.push(bytes)) {
          partSince = undefined;
          yield event;
          await yieldToEventLoop();
          signal.throwIfAborted();
        }
      }
      signal.throwIfAborted();
      socket.resume();
      if (reader.isInside) partSince ??= performance.now();
      const left =
        partSince === undefined ? limits.idleMilliseconds : partSince + limits.eventMilliseconds - performance.now();
      if (await somethingHappens(left)) continue;
      if (partSince === undefined) return;
      throw new SvcError('INVALID_REQUEST', 'an event took too long to arrive');
    }
  } finally {
    // Discards the rest.
    socket.off('data', hold).resume();
  }
}
