import type { LiveText } from '../engine/live/live-request.ts';

/** Waits for all of a text that is being written. @throws what the text throws, and the reason of `signal` */
export async function completeText(text: LiveText, signal: AbortSignal): Promise<string> {
  const iterator = text[Symbol.asyncIterator]();
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
  });
  stopped.catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  let whole = '';
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await Promise.race([iterator.next(), stopped]);
      if (done) return whole;
      whole += value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Not awaited, as a generator that waits for its own text returns only after it.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
