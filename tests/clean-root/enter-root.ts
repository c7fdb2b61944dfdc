import { spawn } from 'node:child_process';

export interface Visit {
  /** The root folder. */
  readonly system: string;
  readonly user: string;
  /** Owner of the home folder; the command runs in `folder`. */
  readonly home: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Mounts in a private namespace, so that nothing has to be unmounted. */
const mount = ['mount -t proc proc "$0/proc"', 'mount --rbind /dev "$0/dev"', 'mount --rbind /sys "$0/sys"'].join(
  ' && ',
);

/** Runs a shell command in the root; its children end with it. Resolves to its exit code. */
export function enterRoot(
  command: string,
  { system, user, home, folder, environment, signal }: Visit,
): Promise<number> {
  const variables = Object.entries({ HOME: home, USER: user, LANG: 'C.UTF-8', ...environment });
  const namespace = ['unshare', '--mount', '--pid', '--fork', '--kill-child'];
  const inside = ['env', '-i', ...variables.map(([name, value]) => `${name}=${value}`), 'sh', '-c'];
  // No `exec`: a process of another user would not be killed with its parent, but this shell ends all others.
  const enter = `${mount} && chroot --userspec=${user}:${user} "$0" "$@"; exit $?`;
  const settings = [...namespace, 'sh', '-c', enter, system, ...inside, `cd ${folder} && ${command}`];
  return new Promise((resolve, reject) => {
    // The parent-death signal ends everything when this process is killed.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...settings], {
      stdio: ['ignore', 'inherit', 'inherit'],
      signal,
      killSignal: 'SIGKILL',
    });
    // After an abort, wait for the process to end.
    child.on('error', (error) => error.name === 'AbortError' || reject(error));
    child.on('close', (code) => resolve(code ?? 1));
  });
}
