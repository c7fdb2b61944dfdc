import { describe, expect, it } from '@jest/globals';
import { chooseThreads, explainThreads } from '../../src/processors/thread-count.ts';

const cores = (...speeds: readonly number[]) => speeds.map((speed) => ({ speed, allowed: true }));
const machine = { logicalProcessors: 8, cores: cores(1, 1, 1, 1), quota: undefined };

describe('chooseThreads', () => {
  it('rounds a quota down, but to one thread at least', () => {
    expect(chooseThreads({ ...machine, quota: 2.9 }).threads).toBe(2);
    expect(chooseThreads({ ...machine, quota: 0.25 })).toEqual({
      threads: 1,
      logicalProcessors: 8,
      cores: 4,
      limits: [{ by: 'quota', to: 1 }],
    });
    expect(chooseThreads({ ...machine, quota: 4 }).limits).toEqual([]);
  });

  it('uses slower cores unless they are too slow to help', () => {
    const threads = (...speeds: readonly number[]): number =>
      chooseThreads({ ...machine, cores: cores(...speeds) }).threads;
    expect(threads(1, 3, 3)).toBe(3);
    expect(threads(0.9, 3, 3)).toBe(2);
    expect(threads(0, 3, 3)).toBe(2);
    expect(threads(1, 1)).toBe(2);
  });
});

describe('explainThreads', () => {
  it('names what reduced the number, in turn', () => {
    const [first, ...others] = cores(4, 4, 4, 1);
    const bounded = {
      ...machine,
      cores: [{ speed: 4, allowed: false }, ...others, ...(first ? [first] : [])],
      quota: 2,
    };
    expect(explainThreads(chooseThreads(bounded))).toBe(
      '2 (8 logical processors, 5 cores, limited to 4 by CPU affinity, limited to the 3 fastest, limited to 2 by the cgroup quota)',
    );
    expect(explainThreads(chooseThreads({ ...machine, logicalProcessors: 1, cores: cores(1) }))).toBe(
      '1 (1 logical processor, 1 core)',
    );
  });
});
