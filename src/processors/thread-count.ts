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
  /** What reduced the number of threads below that of the cores, in turn. */
  readonly limits: readonly Limit[];
}

/** One thread per physical core that this process may use, without cores so slow that the others would wait for them. */
export function chooseThreads({ logicalProcessors, cores, quota = Number.POSITIVE_INFINITY }: Machine): ThreadCount {
  const allowed = cores.filter((core) => core.allowed);
  const bounds: readonly Limit[] = [
    { by: 'affinity', to: allowed.length },
    { by: 'speed', to: countFast(allowed) },
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

/** The fastest cores, as many as compute most while all wait for the slowest of them. */
function countFast(cores: readonly Core[]): number {
  let best = { count: 0, speed: 0 };
  const speeds = cores.map(({ speed }) => speed).sort((left, right) => right - left);
  for (const [index, slowest] of speeds.entries()) {
    const speed = slowest * (index + 1);
    if (speed > best.speed) best = { count: index + 1, speed };
  }
  return best.count;
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
