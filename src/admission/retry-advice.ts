/** Seconds that a job took, on average, before any has ended. */
const assumedSeconds = 2;
/** Weight of the newest job in the average. */
const newestWeight = 0.2;
const longestWait = 60;

/** When a refused client may try again, from how long jobs take. */
export interface RetryAdvice {
  /** @returns what to call when the job has ended, with the time in which it had no slot */
  begin(): (idleSeconds?: number) => void;
  /** Seconds until one that comes after `waiting` others gets one of `slots`. */
  secondsFor(waiting: number, slots: number): number;
}

export function createRetryAdvice(): RetryAdvice {
  let averageSeconds = assumedSeconds;
  return {
    begin() {
      const started = performance.now();
      return (idleSeconds = 0) => {
        const seconds = (performance.now() - started) / 1000 - idleSeconds;
        averageSeconds += newestWeight * (seconds - averageSeconds);
      };
    },
    secondsFor(waiting, slots) {
      const seconds = Math.ceil((averageSeconds * (waiting + 1)) / Math.max(1, slots));
      return Math.min(longestWait, Math.max(1, seconds));
    },
  };
}
