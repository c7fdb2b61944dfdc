/** Reads which physical cores this process may use. */
import { availableParallelism } from 'node:os';
import { readQuota } from './cgroup-quota.ts';
import { readSystemFile } from './system-file.ts';
import type { Core, Machine } from './thread-count.ts';

/**
 * How much faster a performance core is than an efficient one, where the system only reports which are which: in vector
 * products, which run at half the width and at a lower clock.
 */
export const fasterBy = 3;

/**
 * Linux lists the cores in files; other systems need native code.
 *
 * @param nativeCores if unknown or empty, each available logical processor counts as a core
 */
export function readMachine(nativeCores: readonly Core[] = []): Machine {
  if (process.platform === 'linux') return readLinuxMachine('/');
  const logicalProcessors = availableParallelism();
  return { logicalProcessors, cores: orEqual(nativeCores, logicalProcessors), quota: undefined };
}

/** @param root folder of `proc` and `sys` */
export function readLinuxMachine(root: string): Machine {
  const online = parseList(readSystemFile(root, 'sys/devices/system/cpu/online'));
  const available = availableParallelism();
  return {
    logicalProcessors: online.length || available,
    cores: orEqual(readCores(root, online), available),
    quota: readQuota(root),
  };
}

/** The cores if this process may use any, otherwise equal ones. Some sandboxes hide them, or renumber them. */
const orEqual = (cores: readonly Core[], count: number): readonly Core[] =>
  cores.some(({ allowed }) => allowed) ? cores : Array.from({ length: count }, () => ({ speed: 1, allowed: true }));

/** @see https://docs.kernel.org/admin-guide/cputopology.html */
function readCores(root: string, online: readonly number[]): readonly Core[] {
  const [, mask = ''] = /^Cpus_allowed_list:\s*(.*)$/m.exec(readSystemFile(root, 'proc/self/status')) ?? [];
  const allowed = new Set(parseList(mask));
  // Only hybrid processors of Intel have it. Others with different cores, such as ARM, report their capacity.
  const performance = parseList(readSystemFile(root, 'sys/devices/cpu_core/cpus'));
  const cores = new Map<string, Core>();
  for (const processor of online) {
    const folder = `sys/devices/system/cpu/cpu${processor}`;
    const capacity = (): number => Number(readSystemFile(root, `${folder}/cpu_capacity`)) || 1;
    const speed = performance.length === 0 ? capacity() : performance.includes(processor) ? fasterBy : 1;
    // The second name is that of kernels before 5.3.
    const siblings =
      readSystemFile(root, `${folder}/topology/core_cpus_list`) ||
      readSystemFile(root, `${folder}/topology/thread_siblings_list`) ||
      String(processor);
    cores.set(siblings, { speed, allowed: allowed.has(processor) || cores.get(siblings)?.allowed === true });
  }
  return [...cores.values()];
}

/** Numbers of a list such as `0-3,8`. */
const parseList = (list: string): readonly number[] =>
  list.split(',').flatMap((range) => {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    return first === undefined
      ? []
      : Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
  });
