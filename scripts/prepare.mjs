/**
 * npm's `prepare` script: compiles TypeScript to `dist`, with some packages inlined, and builds the web pages into `dist/web`.
 *
 * The compiler, esbuild, is an optional package. If npm has omitted it, prints a warning instead of failing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

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

async function canCompile() {
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
} else if (await canCompile()) {
  console.error('svc: compiling the sources and the web pages');
  run(['--import', 'tsx', join('scripts', 'build-dist.ts')]);
  writeFileSync(join(root, 'dist', 'src', 'build.json'), `${JSON.stringify({ commit: commitHere() })}\n`);
} else {
  const advice = 'run npm ci with optional and development packages';
  console.error(`svc: warning: nothing was compiled, because esbuild is not installed; ${advice}`);
}
