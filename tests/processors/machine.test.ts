import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLinuxMachine, readMachine } from '../../src/processors/machine.ts';
import { chooseThreads, explainThreads } from '../../src/processors/thread-count.ts';
import { inRecordedTree } from './recorded-tree.ts';

const recorded = (name: string): string =>
  readFileSync(join(process.cwd(), 'tests', 'fixtures', 'machines', `${name}.txt`), 'utf8');
const explain = (recording: string): string =>
  inRecordedTree(recording, (root) => explainThreads(chooseThreads(readLinuxMachine(root))));

describe('readLinuxMachine', () => {
  it.each([
    ['smt-desktop', '4 (8 logical processors, 4 cores)'],
    ['smt-switched-off', '4 (4 logical processors, 4 cores)'],
    ['two-sockets', '8 (16 logical processors, 8 cores)'],
    ['hybrid-desktop', '12 (20 logical processors, 12 cores)'],
    ['hybrid-ultrabook', '10 (12 logical processors, 10 cores)'],
    ['arm-two-clusters', '8 (8 logical processors, 8 cores)'],
    ['arm-three-clusters', '4 (8 logical processors, 8 cores, limited to the 4 fastest)'],
    ['container', '2 (64 logical processors, 64 cores, limited to 2 by the cgroup quota)'],
    ['container-with-shares', '2 (8 logical processors, 4 cores, limited to 2 by CPU affinity)'],
  ])('reads %s', (name, explanation) => {
    expect(explain(recorded(name))).toBe(explanation);
  });

  it('leaves out cores that the affinity mask excludes before it compares speeds', () => {
    const slowOnly = recorded('hybrid-desktop').replace('Cpus_allowed_list:\t0-19', 'Cpus_allowed_list:\t15-19');
    expect(explain(slowOnly)).toBe('5 (20 logical processors, 12 cores, limited to 5 by CPU affinity)');
    const clusters = recorded('arm-three-clusters');
    const mixed = clusters.replace('Cpus_allowed_list:\t0-7', 'Cpus_allowed_list:\t0-4,7');
    expect(explain(mixed)).toBe(
      '2 (8 logical processors, 8 cores, limited to 6 by CPU affinity, limited to the 2 fastest)',
    );
    const withoutFastest = clusters.replace('Cpus_allowed_list:\t0-7', 'Cpus_allowed_list:\t0-6');
    expect(explain(withoutFastest)).toBe('7 (8 logical processors, 8 cores, limited to 7 by CPU affinity)');
  });

  it.each([
    ['there are no files', ''],
    ['topology is hidden', 'sys/devices/system/cpu/online:0-3'],
    ['processors are numbered anew', 'sys/devices/system/cpu/online:0-1\nproc/self/status:Cpus_allowed_list:\t6-7'],
  ])('counts the available processors if %s', (_, recording) => {
    const { cores } = inRecordedTree(recording, readLinuxMachine);
    expect(cores).toEqual(Array.from({ length: availableParallelism() }, () => ({ speed: 1, allowed: true })));
  });

  it('counts processors without topology as cores', () => {
    const sandbox = 'sys/devices/system/cpu/online:0-3\nproc/self/status:Cpus_allowed_list:\t0-2';
    expect(explain(sandbox)).toBe('3 (4 logical processors, 4 cores, limited to 3 by CPU affinity)');
  });
});

describe('readMachine', () => {
  it('finds at least one core on this machine', () => {
    const { cores, logicalProcessors } = readMachine();
    expect(cores.filter(({ allowed }) => allowed).length).toBeGreaterThan(0);
    expect(cores.length).toBeLessThanOrEqual(logicalProcessors);
  });
});
