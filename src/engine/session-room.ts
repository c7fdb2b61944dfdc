/** Sessions on a device whose memory holds only so many: others wait in line. */
import { toSvcError } from '../errors.ts';

interface Waiter {
  /** Numbers are in the order in which sessions came. */
  readonly number: number;
  begin(): void;
}

export function createRoom() {
  let held = 0;
  let line: readonly Waiter[] = [];
  let numbers = 0;

  function next(): void {
    const [first, ...others] = line;
    line = others;
    first?.begin();
  }

  async function waitInLine(number: number, wait: (turn: Promise<void>) => Promise<void>): Promise<void> {
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const waiter = { number, begin };
    line = [...line, waiter].sort((one, other) => one.number - other.number);
    try {
      await wait(turn);
    } catch (thrown) {
      // A turn that came is that of the next.
      if (line.includes(waiter)) line = line.filter((other) => other !== waiter);
      else next();
      throw thrown;
    }
  }

  return {
    /**
     * Opens a session. Where that fails with OUT_OF_MEMORY while other sessions are open, tries again once one of them has left;
     * who comes later waits behind.
     *
     * @param wait for a promise that resolves then
     * @throws what `open` or `wait` throws
     */
    async enter<Opened>(open: () => Promise<Opened>, wait: (turn: Promise<void>) => Promise<void>): Promise<Opened> {
      numbers += 1;
      const number = numbers;
      if (line.length > 0) await waitInLine(number, wait);
      for (;;) {
        held += 1;
        try {
          return await open();
        } catch (thrown) {
          held -= 1;
          if (held === 0 || toSvcError(thrown).code !== 'OUT_OF_MEMORY') {
            next();
            throw thrown;
          }
        }
        await waitInLine(number, wait);
      }
    },
    leave(): void {
      held -= 1;
      next();
    },
    close(): void {
      const all = line;
      line = [];
      for (const { begin } of all) begin();
    },
  };
}
