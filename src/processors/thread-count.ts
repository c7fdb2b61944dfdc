/** Chooses the number of CPU threads for a machine, and explains it. */

export interface Core {
  /** In any unit, the same for all cores of a machine. */
  readonly speed: number;
  /** Whether the affinity mask of this process contains one of its logical processors. */
  readonly allowed: boolean;
}

export interface Machine {
  readonly logicalProcessors: number;
  /** Physical cores; at least one is allowed. */
  readonly cores: readonly Core[];
  /** Processors' worth of time that control groups leave to this process. */
  readonly quota: number | undefined;
}

interface Limit {
  readonly by: 'affinity' | 'speed' | 'quota';
  readonly to: number;
}

export interface ThreadCount {
  readonly threads: number;
  readonly logicalProcessors: number;
  readonly cores: number;
  /** Limits that reduced the number of threads below that of the cores, in turn. */
  readonly limits: readonly Limit[];
}

/** One thread per physical core that this process may use, without those that are too slow to help. */
export function chooseThreads({ logicalProcessors, cores, quota = Number.POSITIVE_INFINITY }: Machine): ThreadCount {
  const allowed = cores.filter((core) => core.allowed);
  const bounds: readonly Limit[] = [
    { by: 'affinity', to: allowed.length },
    { by: 'speed', to: countUseful(allowed) },
    // Rounded down: threads beyond the quota use it up, and then the kernel stops all of them.
    { by: 'quota', to: Math.max(1, Math.floor(quota)) },
  ];
  let threads = cores.length;
  const limits = bounds.filter(({ to }) => {
    const reduces = to < threads;
    threads = Math.min(threads, to);
    return reduces;
  });
  return { threads, logicalProcessors, cores: cores.length, limits };
}

/** How many times as fast as another core one may be: threads take work from each other, but wait for the last unit. */
const mostDifference = 3;

function countUseful(cores: readonly Core[]): number {
  const fastest = Math.max(...cores.map(({ speed }) => speed));
  return cores.filter(({ speed }) => speed * mostDifference >= fastest).length;
}

const explanations: Readonly<Record<Limit['by'], (to: number) => string>> = {
  affinity: (to) => `limited to ${to} by CPU affinity`,
  speed: (to) => `limited to the ${to} fastest`,
  quota: (to) => `limited to ${to} by the cgroup quota`,
};

/** Such as `2 (8 logical processors, 4 cores, limited to 2 by the cgroup quota)`. */
export function explainThreads({ threads, logicalProcessors, cores, limits }: ThreadCount): string {
  const count = (number: number, name: string): string => `${number} ${name}${number === 1 ? '' : 's'}`;
  const parts = [count(logicalProcessors, 'logical processor'), count(cores, 'core')];
  return `${threads} (${[...parts, ...limits.map(({ by, to }) => explanations[by](to))].join(', ')})`;
}
