/** Reads the quota of processor time of Linux control groups, versions 1 and 2. */
import { posix } from 'node:path';
import { readSystemFile } from './system-file.ts';

/**
 * The smallest quota of this process's control groups and their ancestors, as far as they are mounted.
 *
 * @param root folder of `proc` and of the mounted control groups
 * @returns processors' worth of time, such as 1.5; undefined without a quota
 * @see https://man7.org/linux/man-pages/man7/cgroups.7.html
 */
export function readQuota(root: string): number | undefined {
  const mounts = parseMounts(readSystemFile(root, 'proc/self/mountinfo'));
  const groups = readSystemFile(root, 'proc/self/cgroup').split('\n');
  const quotas = groups.flatMap((line) => {
    // `5:cpu,cpuacct:/path`, in version 2 `0::/path`
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return mounts
      .filter(({ controller }) => controllers.split(',').includes(controller))
      .flatMap((mount) => foldersOf(path, mount).map((folder) => quotaOf(root, folder)));
  });
  const limits = quotas.filter((quota) => quota > 0);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

interface Mount {
  /** Name in `/proc/self/cgroup`; empty for version 2. */
  readonly controller: string;
  /** The control group at the mount point: in a container often that of the container. */
  readonly group: string;
  readonly point: string;
}

/** Those with quotas, of lines such as `32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu`. */
const parseMounts = (text: string): readonly Mount[] =>
  text.split('\n').flatMap((line) => {
    const [mount = '', system = ''] = line.split(' - ');
    const [, , , group = '', point = ''] = mount.split(' ').map(decodeField);
    const [type, , options = ''] = system.split(' ');
    if (type === 'cgroup2') return { controller: '', group, point };
    return type === 'cgroup' && options.split(',').includes('cpu') ? { controller: 'cpu', group, point } : [];
  });

/** The kernel writes spaces and the like as three octal digits. */
const decodeField = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** Folders of a control group and of its ancestors up to the mount point. */
function foldersOf(path: string, { group, point }: Mount): readonly string[] {
  const below = posix.relative(group, path);
  if (below.startsWith('..')) return [];
  const names = below === '' ? [] : below.split('/');
  return [point, ...names.map((_, index) => posix.join(point, ...names.slice(0, index + 1)))];
}

/** NaN or negative without a quota. */
function quotaOf(root: string, folder: string): number {
  const read = (name: string): string => readSystemFile(root, posix.join(folder, name));
  // Version 2 has `max 100000` or `150000 100000`, version 1 a file for each number.
  const [quota, period] = (read('cpu.max') || `${read('cpu.cfs_quota_us')} ${read('cpu.cfs_period_us')}`).split(' ');
  return Number(quota) / Number(period);
}
