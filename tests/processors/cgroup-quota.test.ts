import { describe, expect, it } from '@jest/globals';
import { readQuota } from '../../src/processors/cgroup-quota.ts';
import { inRecordedTree } from './recorded-tree.ts';

const quota = (recording: string): number | undefined => inRecordedTree(recording, readQuota);

const version2 = (path: string, point = '/sys/fs/cgroup', group = '/'): string => `
proc/self/cgroup:0::${path}
proc/self/mountinfo:29 23 0:26 / /proc rw - proc proc rw
proc/self/mountinfo:30 23 0:26 ${group} ${point} rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate
`;
const version1 = (path: string, group = '/'): string => `
proc/self/cgroup:5:cpuset:/other
proc/self/cgroup:4:cpu,cpuacct:${path}
proc/self/cgroup:0::/
proc/self/mountinfo:31 25 0:27 ${group} /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
proc/self/mountinfo:32 25 0:28 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
proc/self/mountinfo:33 25 0:29 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
sys/fs/cgroup/cpuset/other/cpu.max:1000 100000
`;
/** The files of version 1, with the usual period. */
const files1 = (folder: string, microseconds: number): string => `
sys/fs/cgroup/cpu,cpuacct${folder}/cpu.cfs_quota_us:${microseconds}
sys/fs/cgroup/cpu,cpuacct${folder}/cpu.cfs_period_us:100000
`;

describe('readQuota', () => {
  it('is the smallest of all ancestors, version 2', () => {
    const nested = `${version2('/pods.slice/pod.slice/c1')}
sys/fs/cgroup/pods.slice/cpu.max:800000 100000
sys/fs/cgroup/pods.slice/pod.slice/cpu.max:75000 50000
sys/fs/cgroup/pods.slice/pod.slice/c1/cpu.max:300000 100000
sys/fs/cgroup/pods.slice/pod.slice/c2/cpu.max:10000 100000`;
    expect(quota(nested)).toBe(1.5);
  });

  it('is the smallest of all ancestors, version 1', () => {
    const group = version1('/a/b');
    expect(quota(group + files1('', -1) + files1('/a', 250_000) + files1('/a/b', 400_000))).toBe(2.5);
    expect(quota(group + files1('', -1) + files1('/a', -1) + files1('/a/b', 400_000))).toBe(4);
  });

  it('is that of a container, whether or not it has a cgroup namespace', () => {
    expect(quota(`${version2('/')}sys/fs/cgroup/cpu.max:200000 100000`)).toBe(2);
    expect(quota(version1('/') + files1('', 200_000))).toBe(2);
    expect(quota(version1('/docker/0f3c', '/docker/0f3c') + files1('', 300_000))).toBe(3);
    // A process that joined from the host: the mount shows only the part below the container.
    expect(quota(version1('/docker/0f3c/job', '/docker/0f3c') + files1('/job', 100_000))).toBe(1);
    expect(quota(version1('/elsewhere', '/docker/0f3c') + files1('', 300_000))).toBeUndefined();
    expect(quota(version1('/docker/0f3cd', '/docker/0f3c') + files1('', 300_000))).toBeUndefined();
  });

  it('reads every mount, wherever it is', () => {
    const spaced = version2('/a', '/my\\040mount');
    expect(quota(`${spaced}my mount/a/cpu.max:50000 100000`)).toBe(0.5);
    const mixed = version1('/a') + files1('/a', 200_000);
    expect(quota(`${mixed}sys/fs/cgroup/unified/cpu.max:100000 100000`)).toBe(1);
  });

  it.each([
    ['no control groups', ''],
    ['nothing mounted', 'proc/self/cgroup:0::/a'],
    ['no controller in the group', version2('/a')],
    ['no limit', `${version2('/a')}sys/fs/cgroup/a/cpu.max:max 100000`],
    ['only shares', `${version1('/a')}${files1('/a', -1)}sys/fs/cgroup/cpu,cpuacct/a/cpu.shares:256`],
    ['damaged files', `${version2('/a')}sys/fs/cgroup/a/cpu.max:x`],
  ])('is undefined with %s', (_, recording) => {
    expect(quota(recording)).toBeUndefined();
  });
});
