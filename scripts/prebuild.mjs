/**
 * Builds addons into `native/prebuilds`, where node-gyp-build looks for them; `npm pack` packs all that are there.
 *
 *     npm run prebuild -- --all            for all platforms with one compiler, and the CUDA kernels: the same bytes on every
 *                                          machine
 *     npm run prebuild -- win32-x64 …      for some of them
 *     npm run prebuild -- --probe …        with what golden tests look into: not for packages
 *     node scripts/prebuild.mjs --here     for this platform with its compiler: npm's `prepack` script
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { crossCompile, crossCompiledHere, platforms } from './cross-compile.mjs';
import { compileModules } from './cuda-kernels.mjs';
import { prepareSources } from './native-sources.mjs';

/** glibc version that ggml's prebuilt libraries need, and so an addon without its own ggml. */
const newestGlibc = [2, 34];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const prebuilds = join(root, 'native', 'prebuilds');

/** As in the tarball of npm. */
const compressedSize = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
const megabytes = (bytes) => (bytes / 1e6).toFixed(2);

const contents = process.argv.includes('--probe') ? 'with probe' : 'packed';
const named = process.argv.slice(2).filter((word) => word !== '--probe');
const names = Object.keys(platforms);
if (named.length === 0) {
  // npm runs the script `prebuild` before `build` too, which needs none.
  console.log(`no addon for other platforms: --all, or some of ${names.join(', ')}`);
} else if (named.join() === '--here') {
  await buildHere();
  removeStaleOutput();
} else {
  const chosen = named.includes('--all') ? names : named;
  const unknown = chosen.find((name) => !Object.hasOwn(platforms, name));
  if (unknown !== undefined) {
    console.error(`svc: no platform ${unknown}; give --all or some of ${names.join(', ')}`);
    process.exit(2);
  }
  for (const name of chosen) await prebuild(name);
  if (named.includes('--all')) compileModules();
}

async function prebuild(name) {
  prepareSources(join(root, 'native'));
  const binary = join(prebuilds, platforms[name].file);
  await crossCompile(name, binary, Number(process.env.npm_config_jobs) || availableParallelism(), contents);
  console.log(`${name}: ${megabytes(statSync(binary).size)} MB, ${megabytes(compressedSize(binary))} MB packed`);
}

/** Builds as in a clone. */
async function buildHere() {
  const platform = crossCompiledHere();
  if (platform !== undefined) return await prebuild(platform);
  execFileSync(process.execPath, [join(root, 'scripts', 'build-native.mjs'), '--packed'], { stdio: 'inherit' });
  const isLinux = process.platform === 'linux';
  const binary = join(prebuilds, `${process.platform}-${process.arch}`, isLinux ? 'svc.glibc.node' : 'svc.node');
  mkdirSync(dirname(binary), { recursive: true });
  copyFileSync(join(root, 'native', 'build', 'Release', 'packed', 'svc.node'), `${binary}.tmp`);
  if (isLinux) {
    execFileSync('strip', ['--strip-unneeded', `${binary}.tmp`]);
    checkRequirements(`${binary}.tmp`);
  }
  renameSync(`${binary}.tmp`, binary);
}

/** Refuses a binary that would not load on the oldest supported system. */
function checkRequirements(path) {
  const symbols = execFileSync('objdump', ['--dynamic-syms', path], { encoding: 'utf8' });
  const tooNew = [...symbols.matchAll(/\((GLIBC|GLIBCXX)_(\d+)\.(\d+)\S*\)\s+(\S+)/g)].filter(
    ([, library, major, minor]) =>
      library === 'GLIBCXX' || major > newestGlibc[0] || (Number(major) === newestGlibc[0] && minor > newestGlibc[1]),
  );
  if (tooNew.length === 0) return;
  const names = tooNew.map(([, library, major, minor, name]) => `${name} (${library}_${major}.${minor})`);
  throw new Error(`the addon needs symbols newer than glibc ${newestGlibc.join('.')}: ${names.join(', ')}`);
}

/** Builds leave the output of sources that are gone. */
function removeStaleOutput() {
  for (const name of readdirSync(join(root, 'dist'))) {
    if (!['src', 'export', 'web'].includes(name)) rmSync(join(root, 'dist', name), { recursive: true });
  }
  for (const folder of ['src', 'export']) {
    const output = join(root, 'dist', folder);
    for (const name of existsSync(output) ? readdirSync(output, { recursive: true }) : []) {
      const source = join(root, folder, name.replace(/\.(d\.ts|js|js\.map)$/, '.ts'));
      if (/\.(js|map|ts)$/.test(name) && !existsSync(source)) rmSync(join(output, name));
    }
  }
}
