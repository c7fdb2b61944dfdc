/** Waits for the next turn of the event loop: with `setImmediate` in Node.js, with a message in browsers. */
export const nextTurn: () => Promise<void> =
  typeof setImmediate === 'function' ? () => new Promise((resolve) => setImmediate(resolve)) : byMessage();

/** The part of a browser's message port that is missing in Node's types. */
interface BrowserPort {
  onmessage: () => void;
  postMessage(message: undefined): void;
}

/** Not a timer, as browsers delay nested timers by 4 ms and those of hidden pages by a second. */
function byMessage(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const { port1, port2 } = new MessageChannel() as unknown as Record<'port1' | 'port2', BrowserPort>;
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(undefined);
    });
}

/** Longest uninterrupted computation in milliseconds. */
const longestTurn = 10;

/**
 * Creates a function to await after each small piece of a long computation: it yields to the event loop when the last
 * turn was long ago.
 *
 * @example
 * const pace = createPace();
 * for (const piece of pieces) {
 *   compute(piece);
 *   await pace();
 * }
 */
export function createPace(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < longestTurn) return;
    await nextTurn();
    since = performance.now();
  };
}
