/** How many requests a front end can carry, from the share of time that its event loop works. */
import { type EventLoopUtilization, performance } from 'node:perf_hooks';

export interface FrontLoad {
  /** Requests that this process can carry at once; infinite while it has enough time left to tell nothing. */
  readonly most: number;
  close(): void;
}

/** Part of the time that may be used: beyond it, audio would be late. */
const usableShare = 0.85;
/** Below it, too much of the time goes to other things to conclude from it. */
const tellingShare = 0.5;
/** Requests that are always admitted: so few are not what keeps a process busy. */
const fewest = 64;
const sampleMilliseconds = 250;
/** Samples in the average. */
const samplesKept = 4;

export interface LoadSample {
  /** From 0 to 1. */
  readonly busyShare: number;
  readonly requests: number;
}

/** Requests that would fill the usable time, if all cost the same. */
export function estimateMost(samples: readonly LoadSample[]): number {
  const average = (read: (sample: LoadSample) => number): number =>
    samples.reduce((sum, sample) => sum + read(sample), 0) / samples.length;
  const busyShare = average((sample) => sample.busyShare);
  if (samples.length === 0 || busyShare < tellingShare) return Number.POSITIVE_INFINITY;
  return Math.max(fewest, Math.floor((average(({ requests }) => requests) * usableShare) / busyShare));
}

/** @param requests the present number */
export function watchFrontLoad(requests: () => number): FrontLoad {
  const samples: LoadSample[] = [];
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  let most = Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    samples.push({ busyShare: performance.eventLoopUtilization(now, last).utilization, requests: requests() });
    last = now;
    if (samples.length > samplesKept) samples.shift();
    most = estimateMost(samples);
  }, sampleMilliseconds);
  return {
    get most() {
      return most;
    },
    close: () => clearInterval(timer),
  };
}
