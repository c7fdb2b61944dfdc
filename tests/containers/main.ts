/**
 * `npm run test:containers`: builds the images and runs the one for the CPU, on a machine that can reach Debian's and
 * npm's mirrors and no image registry. Needs Debian 12 on x64 and root.
 *
 * The engine is Debian's podman with buildah. The base image is made here: Debian as debootstrap installs it, and
 * Node as the npm registry has it, under the name of the official image. `Dockerfile.gpu` is built on it as far as that goes
 * without NVIDIA's base image: its target `gguf`, with `--gpu`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaseImage } from './base-image.ts';
import { checkImage } from './check-image.ts';
import { createPodman } from './podman.ts';

const root = join(import.meta.dirname, '..', '..');
const debianPackages = ['buildah', 'catatonit', 'debootstrap', 'podman', 'runc'];

const install = (): void => {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const settings = { env: environment, stdio: 'inherit' } as const;
  execFileSync('apt-get', ['update', '--quiet'], settings);
  execFileSync('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...debianPackages], settings);
};

const timed = (what: string, work: () => void): void => {
  const started = Date.now();
  work();
  console.log(`ok: ${what} in ${Math.round((Date.now() - started) / 1000)} s`);
};

async function main(): Promise<void> {
  install();
  const folder = mkdtempSync(join(tmpdir(), 'svc-containers-'));
  const podman = createPodman(folder);
  const clear = (): void => {
    podman.reset();
    rmSync(folder, { recursive: true, force: true });
  };
  // A step that runs is waited for, or ends by the same signal.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      clear();
      process.exit(1);
    });
  }
  try {
    const context = join(folder, 'context');
    // What is committed, as a clone has it.
    execFileSync('sh', ['-c', `mkdir "${context}" && git archive HEAD | tar -x -C "${context}"`], { cwd: root });
    timed('base image', () => createBaseImage({ podman, folder, dockerfile: join(context, 'Dockerfile') }));
    timed('Dockerfile', () => podman.build({ context, file: 'Dockerfile', tag: 'svc:cpu' }));
    await checkImage({ podman, folder, image: 'localhost/svc:cpu' });
    if (process.argv.includes('--gpu')) {
      timed('Dockerfile.gpu, target gguf,', () =>
        podman.build({ context, file: 'Dockerfile.gpu', tag: 'svc:gguf', target: 'gguf' }),
      );
      await checkImage({ podman, folder, image: 'localhost/svc:gguf', device: 'cpu' });
    }
  } finally {
    clear();
  }
}

await main();
