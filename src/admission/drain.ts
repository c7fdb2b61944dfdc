import { SvcError } from '../errors.ts';

/** What requests get that the server can't serve any more. */
export const shuttingDown = (): SvcError =>
  new SvcError('BACKEND_UNAVAILABLE', 'the server is shutting down; retry later');

/** The end of a queue: it lets in no more, and waits until those that are there have gone. */
export interface Drain {
  /** @throws SvcError BACKEND_UNAVAILABLE once it has begun */
  assertOpen(): void;
  /** Resolves once `settle` finds the queue idle. Calls `endAll` after `milliseconds`, if given. */
  begin(milliseconds: number | undefined, endAll: () => void): Promise<void>;
  /** To be called whenever the queue may have become idle. */
  settle(): void;
}

export function createDrain(isIdle: () => boolean): Drain {
  const idle: (() => void)[] = [];
  let draining = false;

  function settle(): void {
    if (isIdle()) for (const resolve of idle.splice(0)) resolve();
  }

  return {
    assertOpen() {
      if (draining) throw shuttingDown();
    },
    begin: (milliseconds, endAll) =>
      new Promise((resolve) => {
        draining = true;
        const timer = milliseconds === undefined ? undefined : setTimeout(endAll, milliseconds);
        idle.push(() => {
          clearTimeout(timer);
          resolve();
        });
        settle();
      }),
    settle,
  };
}
