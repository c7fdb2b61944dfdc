/**
 * npm's `prepare` script: compiles TypeScript to `dist`, adds the API reference, and bundles the page for speech in the
 * browser.
 *
 * Both compilers are optional packages. If npm has omitted one, prints a warning instead of failing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const advice = 'run npm ci with optional and development packages';

function run(parameters) {
  const { status, error } = spawnSync(process.execPath, parameters, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const canCompile = () =>
  existsSync(compiler) && spawnSync(process.execPath, [compiler, '--version'], { stdio: 'ignore' }).status === 0;

async function canBundle() {
  try {
    const { transform, stop } = await import('esbuild');
    await transform('');
    await stop();
    return true;
  } catch {
    return false;
  }
}

// The first `npx svc` in a clone links it into npx's cache, which runs the install scripts again.
const isPrepared = process.env.npm_command === 'exec' && existsSync(join(root, 'dist', 'src', 'cli', 'main.js'));

if (isPrepared) {
  // Already built.
} else if (!canCompile()) {
  console.error(`svc: warning: the TypeScript compiler is not installed, so nothing was compiled; ${advice}`);
} else {
  run([compiler, '-p', 'tsconfig.build.json']);
  run([join('scripts', 'build-docs.mjs')]);
  if (await canBundle()) {
    run(['--import', 'tsx', join('scripts', 'inline-packages.ts')]);
    run(['--import', 'tsx', join('scripts', 'build-local.ts'), '--for-server', '--output', join('dist', 'local')]);
  } else {
    console.error(
      `svc: warning: esbuild is not installed, so the page for speech in the browser was not built; ${advice}`,
    );
  }
}
