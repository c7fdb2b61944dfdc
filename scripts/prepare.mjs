/**
 * `prepare` of package.json: compiles the TypeScript into `dist`, inlines some packages, adds the API reference, and
 * bundles the in-browser page.
 *
 * Both compilers come as optional packages of their own. Where npm left one out the installation stands, with a warning.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const advice = 'run npm ci with optional and development packages to have it';

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

// The first `npx svc` in a clone links it into npx's cache and so runs the scripts of `npm ci` again.
const isPrepared = process.env.npm_command === 'exec' && existsSync(join(root, 'dist', 'src', 'cli', 'main.js'));

if (isPrepared) {
  // Nothing has changed since.
} else if (!canCompile()) {
  console.error(`svc: warning: nothing was compiled, since the TypeScript compiler is not installed; ${advice}`);
} else {
  run([compiler, '-p', 'tsconfig.build.json']);
  run([join('scripts', 'build-docs.mjs')]);
  if (await canBundle()) {
    run(['--import', 'tsx', join('scripts', 'inline-packages.ts')]);
    run(['--import', 'tsx', join('scripts', 'build-local.ts'), '--for-server', '--output', join('dist', 'local')]);
  } else {
    console.error(`svc: warning: the in-browser page was left out, since esbuild is not installed; ${advice}`);
  }
}
