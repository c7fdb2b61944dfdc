/** Sessions on a device whose memory holds only so many: others wait in line. */
import { toSvcError } from '../errors.ts';

export interface SessionRoom {
  /**
   * Opens a session. Where that fails with OUT_OF_MEMORY while other sessions are open, tries again once one of them has left;
   * who comes later waits behind.
   *
   * @param wait for a promise that resolves then
   * @throws what `open` or `wait` throws
   */
  enter<Opened>(open: () => Promise<Opened>, wait: (turn: Promise<void>) => Promise<void>): Promise<Opened>;
  /** A session that entered is closed. */
  leave(): void;
  /** Lets all that wait go on, to their end. */
  close(): void;
}

const isFull = (thrown: unknown): boolean => toSvcError(thrown).code === 'OUT_OF_MEMORY';

export function createRoom(): SessionRoom {
  /** Sessions that are open or being opened. */
  let held = 0;
  let line: (() => void)[] = [];
  const next = (): void => line.shift()?.();

  async function waitInLine(place: 'first' | 'last', wait: (turn: Promise<void>) => Promise<void>): Promise<void> {
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    line = place === 'first' ? [begin, ...line] : [...line, begin];
    try {
      await wait(turn);
    } catch (thrown) {
      // A turn that came is that of the next.
      if (line.includes(begin)) line = line.filter((other) => other !== begin);
      else next();
      throw thrown;
    }
  }

  return {
    async enter(open, wait) {
      if (line.length > 0) await waitInLine('last', wait);
      for (;;) {
        held += 1;
        try {
          return await open();
        } catch (thrown) {
          held -= 1;
          if (held === 0 || !isFull(thrown)) {
            next();
            throw thrown;
          }
        }
        await waitInLine('first', wait);
      }
    },
    leave() {
      held -= 1;
      next();
    },
    close() {
      for (const begin of line.splice(0)) begin();
    },
  };
}
