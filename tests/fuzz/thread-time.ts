/** Processor time of the main thread, which the load of the machine and other threads don't change. */
import { readFileSync } from 'node:fs';

/** Milliseconds so far; the clock's where the system doesn't count them. */
export function threadTime(): number {
  try {
    // Its number is that of the process. Nanoseconds on the processor, nanoseconds waiting, and slices.
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    // Linux only.
    return performance.now();
  }
}

export interface TurnWatch {
  /** Ends it; returns the milliseconds of the longest turn of the event loop since its beginning. */
  stop(): number;
}

/** Exceeds the longest turn by so much at most. */
const everyMilliseconds = 5;

export function watchTurns(): TurnWatch {
  let longest = 0;
  let last = threadTime();
  const look = (): void => {
    const now = threadTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, everyMilliseconds);
  return {
    stop() {
      clearInterval(timer);
      look();
      return longest;
    },
  };
}
