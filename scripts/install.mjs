/**
 * `install` of package.json. In a clone: the addon from its sources, or an error. In an installed package: nothing when
 * the prebuilt addon works, else a build, and when that fails one line, not an error: ONNX models need no addon.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeOldNode } from '../bin/node-version.js';
import { addGgmlLibraries } from './ggml-libraries.mjs';

const scripts = dirname(fileURLToPath(import.meta.url));
const run = (name, stdio) => spawnSync(process.execPath, [join(scripts, name)], { stdio }).status;

const problem = describeOldNode();
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

// Only a clone has it.
const isClone = existsSync(join(scripts, '..', 'tsconfig.json'));
const wantsBuild = process.env.npm_config_build_from_source !== undefined;
// The first `npx svc` in a clone links it into npx's cache and so runs the scripts of `npm ci` again.
const isBuilt =
  process.env.npm_command === 'exec' && existsSync(join(scripts, '..', 'native', 'build', 'Release', 'svc.node'));

if (isClone && isBuilt) {
  // Nothing has changed since.
} else if (isClone) {
  process.exitCode = run('build-native.mjs', 'inherit') ?? 1;
} else {
  addLibraries();
  const isUsable = !wantsBuild && run('addon-smoke.mjs', 'ignore') === 0;
  if (!isUsable && (run('build-native.mjs', 'inherit') !== 0 || run('addon-smoke.mjs', 'inherit') !== 0)) {
    console.error(
      `svc: no native addon for ${process.platform}-${process.arch}: .gguf models won't run, ONNX models will; ` +
        `with a C++17 compiler, make and python3, build it with: node ${join(scripts, 'build-native.mjs')}`,
    );
  }
}

/** Without them `svc doctor` says what to install. */
function addLibraries() {
  try {
    addGgmlLibraries(join(scripts, '..'));
  } catch (error) {
    console.error(`svc: cannot download ggml's libraries: ${error.message}`);
  }
}
