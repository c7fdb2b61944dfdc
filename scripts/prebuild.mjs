/**
 * npm's `prepack` script: builds the addon for this platform into `native/prebuilds/<platform>-<architecture>/`, where
 * node-gyp-build looks for it. Addons of other platforms in `native/prebuilds` are packed too.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** glibc version that ggml's prebuilt libraries need. */
const newestGlibc = [2, 34];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
execFileSync(process.execPath, [join(root, 'scripts', 'build-native.mjs')], { stdio: 'inherit' });

const folder = join(root, 'native', 'prebuilds', `${process.platform}-${process.arch}`);
const binary = join(folder, process.platform === 'linux' ? 'svc.glibc.node' : 'svc.node');
mkdirSync(folder, { recursive: true });
copyFileSync(join(root, 'native', 'build', 'Release', 'packed', 'svc.node'), `${binary}.tmp`);
if (process.platform === 'linux') {
  execFileSync('strip', ['--strip-unneeded', `${binary}.tmp`]);
  checkRequirements(`${binary}.tmp`);
}
renameSync(`${binary}.tmp`, binary);
removeStaleOutput();

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
