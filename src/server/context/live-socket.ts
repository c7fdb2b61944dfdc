/** A WebSocket with backpressure, a heartbeat, and limits against clients that send without reading. */
import { setMaxListeners } from 'node:events';
import type { RawData, WebSocket } from 'ws';
import { SvcError } from '../../errors.ts';

/** Close codes of RFC 6455. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
} as const;

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export type LiveSocket = ReturnType<typeof createLiveSocket>;

/** Bytes that a client may leave unread besides audio; answers to pings count. */
const mostUnread = 1024 * 1024;
/** Long messages are sent in fragments of this size, so that little waits in memory. */
const fragmentBytes = 64 * 1024;
/** How long a client may take to answer a goodbye, in milliseconds. */
const goodbyeMilliseconds = 2_000;

/** @param heartbeatMilliseconds between two pings; a client that answers none is gone */
export function createLiveSocket(peer: WebSocket, heartbeatMilliseconds: number) {
  const gone = new AbortController();
  // One for each utterance, whose number has a limit of its own.
  setMaxListeners(Number.POSITIVE_INFINITY, gone.signal);
  let unread = 0;
  let isAlive = true;
  let last: Promise<void> = Promise.resolve();

  const checkUnread = (): void => {
    if (unread + peer.bufferedAmount > mostUnread) peer.terminate();
  };
  const heartbeat = setInterval(() => {
    if (!isAlive) return peer.terminate();
    isAlive = false;
    peer.ping();
  }, heartbeatMilliseconds);
  const live = (): void => {
    isAlive = true;
    checkUnread();
  };
  peer.on('pong', live).on('ping', live).on('message', live);
  // Frames that break the protocol; `ws` closes the connection with the right code.
  peer.on('error', () => undefined);
  peer.on('close', () => {
    clearInterval(heartbeat);
    gone.abort(new SvcError('CANCELLED', 'the client disconnected'));
  });

  /** Never rejects: the signal is aborted when the client is gone. */
  const write = (bytes: string | Uint8Array, fin: boolean): Promise<void> =>
    new Promise((resolve) => peer.send(bytes, { binary: typeof bytes !== 'string', fin }, () => resolve()));

  async function writeAll(message: string | Pieces): Promise<void> {
    if (typeof message === 'string') return write(message, true);
    let fragment: Uint8Array = new Uint8Array(0);
    for await (const bytes of message) {
      if (peer.readyState !== peer.OPEN) return;
      for (let start = 0; start < bytes.length; start += fragmentBytes) {
        if (fragment.length > 0) await write(fragment, false);
        fragment = bytes.subarray(start, start + fragmentBytes);
      }
    }
    await write(fragment, true);
  }

  return {
    /** Aborted when the connection is closed or lost. */
    signal: gone.signal as AbortSignal,
    /**
     * Calls `handle` with each message; bytes close the connection. Call it before the next turn of the event loop. A promise,
     * which must not reject, holds further messages back.
     */
    onText(handle: (text: string) => Promise<void> | undefined): void {
      const waiting: string[] = [];
      let isBusy = false;
      function take(): void {
        for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
          const work = handle(text);
          if (work === undefined) continue;
          isBusy = true;
          // Messages that were received are still passed on.
          peer.pause();
          void work.then(() => {
            isBusy = false;
            peer.resume();
            take();
          });
          return;
        }
      }
      peer.on('message', (data: RawData, isBinary: boolean) => {
        if (peer.readyState !== peer.OPEN) return;
        if (isBinary) return peer.close(closeCodes.unsupportedData, 'messages must be text');
        waiting.push(data.toString());
        if (!isBusy) take();
      });
    },
    /**
     * Sends a message after the ones before: text, or the bytes of all `pieces` as one message. Resolves when it was passed on
     * to the system, or the client is gone.
     */
    send(message: string | Pieces): Promise<void> {
      const size = typeof message === 'string' ? message.length : 0;
      unread += size;
      checkUnread();
      last = last
        .then(() => writeAll(message))
        // The bytes can't be read, and the message can't be taken back.
        .catch(() => peer.terminate())
        .finally(() => {
          unread -= size;
        });
      return last;
    },
    /** Says goodbye once the messages before were sent. */
    close(code: number, reason: string): void {
      const end = setTimeout(() => peer.terminate(), goodbyeMilliseconds);
      gone.signal.addEventListener('abort', () => clearTimeout(end), { once: true });
      void last.then(() => peer.close(code, reason));
    },
    /** Cuts the connection without a goodbye. */
    cut: (): void => peer.terminate(),
  };
}
