/** Assumed average duration of a job, in seconds, until one has ended. */
const assumedSeconds = 2;
const newestWeight = 0.2;
const longestWait = 60;

/** Estimates from the duration of past jobs when a refused client should retry. */
export type RetryAdvice = ReturnType<typeof createRetryAdvice>;

export function createRetryAdvice() {
  let averageSeconds = assumedSeconds;
  /** When the client that was refused last should be back. */
  let lastReturn = 0;
  return {
    /** @returns a function to call when the job ends, with the time it spent without a slot */
    begin() {
      const started = performance.now();
      return (idleSeconds = 0): void => {
        const seconds = (performance.now() - started) / 1000 - idleSeconds;
        averageSeconds += newestWeight * (seconds - averageSeconds);
      };
    },
    /** Seconds until a job behind `waiting` others gets one of `slots`, from 1 to 60. */
    secondsFor(waiting: number, slots: number): number {
      const seconds = Math.ceil((averageSeconds * (waiting + 1)) / Math.max(1, slots));
      return Math.min(longestWait, Math.max(1, seconds));
    },
    /**
     * Seconds until one of `running` jobs may have ended for a client, behind all others that got such an answer, from 1 to
     * 60. So clients come back one after the other, as fast as there are places for them.
     */
    secondsBehindOthers(running: number): number {
      const now = performance.now() / 1000;
      lastReturn = Math.max(now, lastReturn) + averageSeconds / Math.max(1, running);
      // More clients than there are distinct times share them.
      if (lastReturn > now + longestWait) lastReturn = now;
      return Math.max(1, Math.ceil(lastReturn - now));
    },
  };
}
