/** Whose time the processors spend: figures taken while others compute are not this program's. */
import { availableParallelism, cpus } from 'node:os';

/** Milliseconds that all processors have been busy. */
const busyMilliseconds = (): number =>
  cpus().reduce((total, { times }) => total + times.user + times.nice + times.sys + times.irq, 0);

const ownMilliseconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Call the result at the end: processors that others than this process kept busy since, on average. */
export function watchOthers(): (childrenMilliseconds?: number) => number {
  const [start, busy, own] = [performance.now(), busyMilliseconds(), ownMilliseconds()];
  return (childrenMilliseconds = 0) => {
    const others = busyMilliseconds() - busy - (ownMilliseconds() - own) - childrenMilliseconds;
    return Math.max(0, others / (performance.now() - start));
  };
}

export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly platform: string;
  readonly node: string;
}

export const describeMachine = (): Machine => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  processors: availableParallelism(),
  platform: `${process.platform}-${process.arch}`,
  node: process.version,
});

/** In megabytes of 10^6 bytes. */
const megabytes = (bytes: number): number => bytes / 1e6;

/** A process's high-water mark; `maxRSS` is in KiB on every platform. */
export const peakMemory = (): number => megabytes(process.resourceUsage().maxRSS * 1024);

export const residentMemory = (): number => megabytes(process.memoryUsage.rss());
