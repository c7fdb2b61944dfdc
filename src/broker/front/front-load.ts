/** Limits the requests of a front end to what it can carry, from the share of time that its event loop works. */
import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Part of the time that may be used: beyond it, audio would be late. */
const usableShare = 0.85;
/** Requests that are always admitted: so few are not what keeps a process busy. */
const fewest = 64;
/** New requests in a sample, at least and as a part of those that run: what they cost shows only later. */
const fewestNew = 16;
const newShare = 0.1;
const sampleMilliseconds = 250;

/** New requests that fit until the next sample. */
export const roomFor = (busyShare: number, requests: number): number => {
  const room = busyShare < usableShare ? Math.max(fewestNew, Math.floor(newShare * requests)) : 0;
  return Math.max(room, fewest - requests);
};

/** @param requests the present number */
export function watchFrontLoad(requests: () => number) {
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  let room = fewest;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    room = roomFor(performance.eventLoopUtilization(now, last).utilization, requests());
    last = now;
  }, sampleMilliseconds);
  return {
    /** Whether one more request can be carried. */
    hasRoom: (): boolean => room > 0,
    /** As `hasRoom`; counts the request. */
    admit(): boolean {
      room -= 1;
      return room >= 0;
    },
    close: () => clearInterval(timer),
  };
}
