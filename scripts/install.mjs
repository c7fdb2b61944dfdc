/**
 * npm's `install` script. In a clone, it builds the addon or fails. In an installed package, it builds the addon only if
 * the prebuilt one doesn't work; if that fails too, it prints a warning, since ONNX models need no addon.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeOldNode } from '../bin/node-version.js';
import { addGgmlLibraries } from './ggml-libraries.mjs';
import { removeForeignFiles } from './remove-foreign-files.mjs';

const scripts = dirname(fileURLToPath(import.meta.url));
const run = (name, stdio) => spawnSync(process.execPath, [join(scripts, name)], { stdio }).status;

const problem = describeOldNode();
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

// The package doesn't contain this file.
const isClone = existsSync(join(scripts, '..', 'tsconfig.json'));
const wantsBuild = process.env.npm_config_build_from_source !== undefined;
// The first `npx svc` in a clone links it into npx's cache, which runs the install scripts again.
const isBuilt =
  process.env.npm_command === 'exec' && existsSync(join(scripts, '..', 'native', 'build', 'Release', 'svc.node'));

if (isClone && isBuilt) {
  // Already built.
} else if (isClone) {
  removeForeignFiles(join(scripts, '..'));
  process.exitCode = run('build-native.mjs', 'inherit') ?? 1;
} else {
  addLibraries();
  const isUsable = !wantsBuild && run('addon-smoke.mjs', 'ignore') === 0;
  if (!isUsable && (run('build-native.mjs', 'inherit') !== 0 || run('addon-smoke.mjs', 'inherit') !== 0)) {
    console.error(
      `svc: warning: no native addon for ${process.platform}-${process.arch}, so .gguf models won't run (ONNX models will); ` +
        `install a C++20 compiler, make and python3, then run: ` +
        `node ${join(scripts, 'build-native.mjs')}`,
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
