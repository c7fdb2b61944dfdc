import { SvcError } from '../errors.ts';

/** Error of requests that are refused or ended by shutdown. */
export const shuttingDown = (): SvcError =>
  new SvcError('BACKEND_UNAVAILABLE', 'the server is shutting down; retry later');

/** Shutdown of a queue: it admits no new jobs and waits for the present ones. */
export type Drain = ReturnType<typeof createDrain>;

export function createDrain(isIdle: () => boolean) {
  const idle: (() => void)[] = [];
  let draining = false;

  /** Call whenever the queue may have become idle. */
  function settle(): void {
    if (isIdle()) for (const resolve of idle.splice(0)) resolve();
  }

  return {
    /** @throws SvcError BACKEND_UNAVAILABLE after `begin` */
    assertOpen(): void {
      if (draining) throw shuttingDown();
    },
    /** Resolves once `settle` finds the queue idle. Calls `endAll` after `milliseconds`, if given. */
    begin: (milliseconds: number | undefined, endAll: () => void): Promise<void> =>
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
