/** podman and buildah with storage in a folder, also on machines with restricted permissions. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface Build {
  readonly context: string;
  /** Path within the context. */
  readonly file: string;
  readonly tag: string;
  readonly target?: string;
}

export interface Podman {
  /** Runs a command and returns its output. Throws if it fails. */
  podman(...settings: readonly string[]): string;
  buildah(...settings: readonly string[]): string;
  /** Runs a command and returns its exit code. */
  attempt(...settings: readonly string[]): number;
  build(build: Build): void;
  /** Options for every `run`. */
  readonly runOptions: readonly string[];
  /** Removes containers, images and mounts. */
  reset(): void;
}

export function createPodman(folder: string): Podman {
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'overlay'];
  // Works without systemd and with mixed cgroup versions, which Debian's crun refuses.
  const engine = [...storage, '--cgroup-manager', 'cgroupfs', '--runtime', 'runc'];
  const read = (command: string, settings: readonly string[]): string =>
    execFileSync(command, settings, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1 << 26,
    }).trim();
  const podman = (...settings: readonly string[]): string => read('podman', [...engine, ...settings]);
  const buildah = (...settings: readonly string[]): string => read('buildah', [...storage, ...settings]);
  return {
    podman,
    buildah,
    attempt: (...settings) => spawnSync('podman', [...engine, ...settings], { stdio: 'ignore' }).status ?? 1,
    build({ context, file, tag, target }) {
      const chosen = target === undefined ? [] : ['--target', target];
      // Only Docker's image format supports health checks.
      const form = ['--isolation', 'chroot', '--pull-never', '--format', 'docker', '--layers'];
      const settings = ['build', ...form, ...chosen, '--tag', tag, '--file', join(context, file), context];
      execFileSync('buildah', [...storage, ...settings], { stdio: 'inherit' });
    },
    // Podman would raise limits, which may not be permitted.
    runOptions: ['--pull', 'never', '--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=4096:4096'],
    reset() {
      spawnSync('podman', [...engine, 'rm', '--all', '--force', '--time', '1'], { stdio: 'ignore' });
      spawnSync('podman', [...engine, 'rmi', '--all', '--force'], { stdio: 'ignore' });
    },
  };
}
