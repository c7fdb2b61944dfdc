/** Load, processors and memory of this machine. */
import { availableParallelism, cpus } from 'node:os';

/** Total busy time of all processors, in milliseconds. */
const busyMilliseconds = (): number =>
  cpus().reduce((total, { times }) => total + times.user + times.nice + times.sys + times.irq, 0);

const ownMilliseconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Call the result at the end to get the average number of processors that other processes kept busy. */
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

/** Peak of this process; `maxRSS` is in KiB on every platform. */
export const peakMemory = (): number => megabytes(process.resourceUsage().maxRSS * 1024);

export const residentMemory = (): number => megabytes(process.memoryUsage.rss());
