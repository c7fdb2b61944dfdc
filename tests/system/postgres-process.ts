/** A PostgreSQL server in a temporary folder on a free port, run by another user since it refuses root. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../bench/broker/redis-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface PostgresProcess extends AsyncDisposable {
  /** URL of a new, empty database. */
  createDatabase(): string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Suspends all its processes: connections stay open without answers. `kill` still ends them. */
  freeze(): void;
  thaw(): void;
}

const user = 'postgres';

/** The newest version installed by Debian. */
function findPrograms(): string {
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
  return join('/usr/lib/postgresql', versions[0] ?? '', 'bin');
}

export async function startPostgres(): Promise<PostgresProcess> {
  const programs = findPrograms();
  const folder = await temporaryFolder();
  const isRoot = process.getuid?.() === 0;
  const asUser = (program: string, settings: readonly string[]): [string, readonly string[]] =>
    isRoot
      ? ['setpriv', [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', program, ...settings]]
      : [program, settings];
  if (isRoot) {
    const id = (flag: string): number => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
    chownSync(folder.path, id('-u'), id('-g'));
  }
  const data = folder.join('data');
  const port = await freePort();
  execFileSync(
    ...asUser(join(programs, 'initdb'), ['--pgdata', data, '--username', user, '--auth', 'trust', '--no-sync']),
    {
      stdio: 'ignore',
      cwd: folder.path,
    },
  );
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    // The tests kill processes, not the machine, so nothing needs to reach the disk.
    const options = ['listen_addresses=127.0.0.1', 'fsync=off'].flatMap((option) => ['-c', option]);
    const settings = ['-D', data, '-p', String(port), '-k', folder.path, ...options];
    const started = spawn(...asUser(join(programs, 'postgres'), settings), {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: folder.path,
    });
    child = started;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      started.once('error', reject);
      started.once('close', () => reject(new Error(`postgres ended: ${log}`)));
      started.stderr?.on('data', (part: Buffer) => {
        log = `${log}${part.toString()}`.slice(-10_000);
        if (/ready to accept connections/.test(log)) resolve();
      });
    });
  }

  function signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const processes = (parent: number): readonly number[] => [
      parent,
      ...readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    ];
    if (child?.pid === undefined) return;
    // The main process first, since it starts others.
    for (const each of processes(child.pid)) {
      try {
        process.kill(each, signal);
      } catch (error) {
        // A helper process ended since it was listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  async function kill(): Promise<void> {
    signalAll('SIGCONT');
    const running = child;
    child = undefined;
    if (running === undefined) return;
    const closed = once(running, 'close');
    // Immediate shutdown: like a crash, but all processes end.
    running.kill('SIGQUIT');
    await closed;
  }

  await start();
  let databases = 0;
  return {
    createDatabase() {
      databases += 1;
      const name = `voices${databases}`;
      execFileSync(...asUser(join(programs, 'createdb'), ['-h', '127.0.0.1', '-p', String(port), '-U', user, name]), {
        cwd: folder.path,
      });
      return `postgres://${user}@127.0.0.1:${port}/${name}`;
    },
    kill,
    start,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}
