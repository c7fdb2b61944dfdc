import { spawn } from 'node:child_process';

export interface Visit {
  /** Folder of the root. */
  readonly system: string;
  readonly user: string;
  /** Of the home folder, where the command runs in `folder`. */
  readonly home: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Mounted where only the command and its children see it, so that nothing has to be unmounted. */
const mount = ['mount -t proc proc "$0/proc"', 'mount --rbind /dev "$0/dev"', 'mount --rbind /sys "$0/sys"'].join(
  ' && ',
);

/** Runs a shell command in the root; whatever it started ends with it. Resolves to its exit code. */
export function enterRoot(
  command: string,
  { system, user, home, folder, environment, signal }: Visit,
): Promise<number> {
  const variables = Object.entries({ HOME: home, USER: user, LANG: 'C.UTF-8', ...environment });
  const namespace = ['unshare', '--mount', '--pid', '--fork', '--kill-child'];
  const inside = ['env', '-i', ...variables.map(([name, value]) => `${name}=${value}`), 'sh', '-c'];
  // Not by `exec`: another user's process would not be killed with its parent, and this shell takes all others with it.
  const enter = `${mount} && chroot --userspec=${user}:${user} "$0" "$@"; exit $?`;
  const settings = [...namespace, 'sh', '-c', enter, system, ...inside, `cd ${folder} && ${command}`];
  return new Promise((resolve, reject) => {
    // The death signal ends all of it when this process is killed.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...settings], {
      stdio: ['ignore', 'inherit', 'inherit'],
      signal,
      killSignal: 'SIGKILL',
    });
    // After an abort the process still has to end.
    child.on('error', (error) => error.name === 'AbortError' || reject(error));
    child.on('close', (code) => resolve(code ?? 1));
  });
}
