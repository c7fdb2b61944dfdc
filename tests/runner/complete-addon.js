/**
 * Builds what tests need of the addon and `npm ci` leaves out: the kernels of other processors, and what golden tests look
 * into.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..', '..');

/** Only a complete addon has these. Loaded in a process of its own, as a build replaces the file. */
const isComplete = `const addon = require('node-gyp-build')('./native');
  process.exit(addon.bestKernels && (addon.hasSimt || process.platform !== 'linux' || !require('fs').existsSync('native/simt')) ? 0 : 1)`;

export function completeAddon() {
  if (spawnSync(process.execPath, ['-e', isComplete], { cwd: root, stdio: 'ignore' }).status === 0) return;
  console.error('svc: the tests need the addon with the kernels of all processors');
  const { status } = spawnSync(process.execPath, ['scripts/build-native.mjs', '--all'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('the addon does not compile; see: node scripts/build-native.mjs --all');
}

if (process.argv[1] === import.meta.filename) completeAddon();
