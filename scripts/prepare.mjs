/**
 * npm's `prepare` script: compiles TypeScript to `dist`, inlines some packages, and builds the web pages into `dist/web`.
 *
 * Both compilers are optional packages. If npm has omitted one, prints a warning instead of failing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
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

/** The commit that is compiled, for `svc --version --json`; null where git or its repository is missing. */
function commitHere() {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
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
  console.error(`svc: warning: nothing was compiled, because the TypeScript compiler is not installed; ${advice}`);
} else {
  run([compiler, '-p', 'tsconfig.build.json']);
  writeFileSync(join(root, 'dist', 'src', 'build.json'), `${JSON.stringify({ commit: commitHere() })}\n`);
  if (await canBundle()) {
    run(['--import', 'tsx', join('scripts', 'inline-packages.ts')]);
    run(['--import', 'tsx', join('scripts', 'build-web.ts')]);
  } else {
    console.error(`svc: warning: the web pages were not built, because esbuild is not installed; ${advice}`);
  }
}
