/** Waits until everything that is ready has run: in Node by `setImmediate`, in browsers, which lack it, by a message. */
export const nextTurn: () => Promise<void> =
  typeof setImmediate === 'function' ? () => new Promise((resolve) => setImmediate(resolve)) : byMessage();

/** A port as browsers have it; Node's types leave this half of it out. */
interface BrowserPort {
  onmessage: () => void;
  postMessage(message: undefined): void;
}

/** Not a timer: browsers let nested timers wait for 4 ms, and those of hidden pages for a second. */
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

/** What others may have to wait, in milliseconds, for a computation that gives them turns. */
const longestTurn = 10;

/**
 * For long computations on the thread that answers everybody: awaited after each small piece of work, it gives others a
 * turn when the last one is long ago.
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
