/**
 * `npm run test:containers`: builds the images and runs the CPU image. Needs mirrors of Debian and npm, but no image
 * registry; Debian 12 on x64; and root.
 *
 * Uses Debian's podman and buildah. The base image is built here from debootstrap and the npm registry's Node.js, and
 * tagged like the official image. `--gpu` also builds the target `gguf` of `Dockerfile.gpu` on it.
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
  // A running step is awaited, or ends by the same signal.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      clear();
      process.exit(1);
    });
  }
  try {
    const context = join(folder, 'context');
    // The last commit, like a clone.
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
