/**
 * Downloads ggml's headers, and the sources of its CPU backend, in the version of the prebuilt libraries that the addon
 * loads at run time.
 *
 * They come from the git bundle in the npm package `node-llama-cpp`. Its tarball is downloaded separately and checked
 * against its integrity hash, because as a dependency it would install hundreds of megabytes of GPU libraries.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeFolder, unpackPackage, ggmlVersion as version } from './registry-package.js';

const integrity = 'sha512-E3N0Ev2Va0wzydvXYFwM9Hvyo07PoWjt8T/9GMc43Cvt8YkV/NU/tYUgEMC1grTPv2o9PRjQi0G3Wb5P/awiMg==';

/** Writes the headers to `directory` unless it has them. */
export function fetchGgmlHeaders(directory) {
  const stamp = join(directory, '.version');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === version && existsSync(join(directory, 'LICENSE'))) return;
  withRepository((repository) => {
    const include = join(repository, 'ggml', 'include');
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    for (const name of readdirSync(include)) writeFileSync(join(directory, name), readFileSync(join(include, name)));
    // The package includes the headers, so that building it from source needs neither git nor this download.
    writeFileSync(join(directory, 'LICENSE'), readFileSync(join(repository, 'LICENSE')));
    const text = `#pragma once\n#define SVC_GGML_VERSION "${numberOf(repository)}"\n`;
    writeFileSync(join(directory, 'svc-ggml-version.h'), text);
    writeFileSync(stamp, version);
  });
}

/** The folder in `cache` with the sources of ggml's CPU backend and what it is registered with, downloaded on first use. */
export function fetchGgmlSources(cache) {
  const folder = join(cache, `ggml-${version}`);
  if (existsSync(folder)) return folder;
  withRepository((repository) => {
    const sources = join(repository, 'ggml', 'src');
    const scratch = mkdtempSync(join(cache, 'ggml-'));
    for (const entry of readdirSync(sources, { withFileTypes: true })) {
      if (!entry.isFile() && entry.name !== 'ggml-cpu') continue;
      cpSync(join(sources, entry.name), join(scratch, entry.name), { recursive: true });
    }
    // As its build writes it.
    const text = `#define GGML_VERSION "${numberOf(repository)}"\n#define GGML_COMMIT ""\n`;
    writeFileSync(join(scratch, 'ggml-version.h'), text);
    placeFolder(scratch, folder);
  });
  return folder;
}

/** Calls `use` with a folder that has ggml's repository meanwhile. */
function withRepository(use) {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-ggml-'));
  try {
    const files = ['package/llama/gitRelease.bundle'];
    const bundle = join(
      unpackPackage({ name: 'node-llama-cpp', version, integrity, files }, scratch),
      'llama/gitRelease.bundle',
    );
    const repository = join(scratch, 'repository');
    execFileSync('git', ['-c', 'advice.detachedHead=false', 'clone', '--quiet', '--depth', '1', bundle, repository], {
      stdio: 'inherit',
    });
    use(repository);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What `ggml_version()` answers. */
function numberOf(repository) {
  const cmake = readFileSync(join(repository, 'ggml', 'CMakeLists.txt'), 'utf8');
  const number = (part) => /\d+/.exec(cmake.match(new RegExp(`set\\(GGML_VERSION_${part} (\\d+)\\)`))?.[1] ?? '')?.[0];
  return `${number('MAJOR')}.${number('MINOR')}.${number('PATCH')}`;
}
