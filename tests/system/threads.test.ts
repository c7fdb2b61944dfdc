import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Report } from '../../src/cli/doctor/report.ts';
import { defaultThreads } from '../../src/engine/backends/native/default-threads.ts';

/** Version 1 where it has the quotas, otherwise version 2. */
const version1 = ['/sys/fs/cgroup/cpu,cpuacct', '/sys/fs/cgroup/cpu'].find((folder) => existsSync(folder));
const mount = version1 ?? '/sys/fs/cgroup';
const type = version1 === undefined ? '-t cgroup2' : '-t cgroup -o cpu';
const parent = join(mount, `svc-test-${process.pid}`);
const child = join(parent, 'child');

/** @param processors none if negative */
function setQuota(folder: string, processors: number): void {
  const microseconds = processors < 0 ? -1 : processors * 100_000;
  if (version1 !== undefined) writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(microseconds));
  else writeFileSync(join(folder, 'cpu.max'), `${processors < 0 ? 'max' : microseconds} 100000`);
}

beforeAll(() => {
  for (const folder of [parent, child]) {
    if (version1 === undefined) writeFileSync(join(folder, '..', 'cgroup.subtree_control'), '+cpu');
    mkdirSync(folder);
  }
});
beforeEach(() => {
  for (const folder of [child, parent]) setQuota(folder, -1);
});
afterAll(() => {
  for (const folder of [child, parent]) rmdirSync(folder);
});

const joinChild = `echo $$ > ${child}/cgroup.procs`;

/** @param before shell commands that change what the program may use or sees */
async function run(before: string, ...argv: readonly string[]): Promise<string> {
  const script = `${before}\nexec "$@"`;
  const program = [process.execPath, '--import', 'tsx', ...argv];
  const { stdout } = await promisify(execFile)('sh', ['-ec', script, 'sh', ...program]);
  return stdout;
}

/** The value of a JavaScript expression. */
const evaluate = async (before: string, expression: string): Promise<unknown> =>
  JSON.parse(await run(before, '--input-type=module', '--eval', `console.log(JSON.stringify(${expression}))`));

const count = (before: string): Promise<unknown> =>
  evaluate(before, "(await import('./src/engine/backends/native/default-threads.ts')).defaultThreads()");

const here = defaultThreads();
const limited = { threads: 1, cores: here.cores, limits: [{ by: 'quota', to: 1 }] };

describe('the default number of threads', () => {
  it('obeys the quota of a control group and of its parent', async () => {
    expect(await count(joinChild)).toEqual(here);
    setQuota(parent, 1.5);
    expect(await count(joinChild)).toMatchObject(limited);
    setQuota(child, 0.5);
    expect(await count(joinChild)).toMatchObject(limited);
    setQuota(child, -1);
    setQuota(parent, 1000);
    expect(await count(joinChild)).toEqual(here);
  });

  it('obeys the quota of a container, with a namespace of control groups or without', async () => {
    setQuota(child, 1);
    const inNamespace = 'exec unshare --mount --cgroup';
    // Unmounts in its own namespace of mounts only: the kernel refuses to mount the same file system twice in one place.
    const mountOwn = `sh -ec 'umount ${mount}; mount ${type} none ${mount}; exec "$@"' sh "$@"`;
    expect(await count(`${joinChild}\n${inNamespace} ${mountOwn}`)).toMatchObject(limited);
    const bindOwn = `sh -ec 'mount --bind ${child} ${mount}; exec "$@"' sh "$@"`;
    expect(await count(`${joinChild}\nexec unshare --mount ${bindOwn}`)).toMatchObject(limited);
  });

  it('obeys the affinity mask', async () => {
    expect(await count('taskset --pid --cpu-list 0 $$ > /dev/null')).toMatchObject({
      threads: 1,
      limits: [{ by: 'affinity', to: 1 }],
    });
  });

  it('is what an engine starts', async () => {
    setQuota(child, 1);
    const threadsOf = (options: string, before = joinChild): Promise<unknown> =>
      evaluate(
        before,
        `await (async () => {
          const { createEngine } = await import('./src/engine/open-engine.ts');
          const { readdirSync } = await import('node:fs');
          const before = readdirSync('/proc/self/task').length;
          const engine = await createEngine({ backend: 'cpu', ${options} });
          const threads = readdirSync('/proc/self/task').length - before;
          await engine.close();
          return threads;
        })()`,
      );
    const one = (await threadsOf('threads: 1')) as number;
    expect(await threadsOf('')).toBe(one);
    // At most one for each logical processor.
    expect(await threadsOf('threads: 300')).toBe(one + cpus().length - 1);
    expect(await threadsOf('', ':')).toBe(one + here.threads - 1);
  });

  it('is explained by svc doctor, and overridden by SVC_THREADS', async () => {
    const threadsLine = async (before: string) => {
      const { checks } = JSON.parse(await run(before, 'src/cli/main.ts', 'doctor', '--json')) as Report;
      return checks.find(({ name }) => name === 'threads');
    };
    setQuota(child, 1);
    const [{ logicalProcessors, cores }, plural] = [here, (number: number) => (number === 1 ? '' : 's')];
    const machine = `${logicalProcessors} logical processor${plural(logicalProcessors)}, ${cores} core${plural(cores)}`;
    const explanation = `1 (${machine}, limited to 1 by the cgroup quota)`;
    expect(await threadsLine(joinChild)).toEqual({
      name: 'threads',
      status: 'ok',
      summary: explanation,
      details: { logicalProcessors, ...limited },
    });
    expect(await threadsLine(`${joinChild}\nexport SVC_THREADS=${logicalProcessors}`)).toMatchObject({
      summary: `${logicalProcessors} from SVC_THREADS, otherwise ${explanation}`,
      details: { threads: logicalProcessors },
    });
    expect(await threadsLine(`${joinChild}\nexport SVC_THREADS=1000`)).toMatchObject({
      summary: `${logicalProcessors}, as SVC_THREADS is 1000, otherwise ${explanation}`,
      details: { threads: logicalProcessors },
    });
  });
});
