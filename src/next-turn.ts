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
