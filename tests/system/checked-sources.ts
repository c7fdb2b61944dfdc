/**
 * Suites that compile the addon for other systems, run it on emulated systems or GPUs, repeat its tests, or train, take most
 * of the system tests' time, and come to the same result as long as what they compile and run is the same. So what they
 * passed with is on record, and they run for changed sources and for each release.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const recordPath = join(import.meta.dirname, 'checked-sources.json');

const addon = [
  'native',
  'scripts/*native*',
  'scripts/cross-compile.mjs',
  'scripts/cuda-kernels.mjs',
  'scripts/ggml-*',
  'scripts/ziglang.txt',
  'tests/system/compiled-project.ts',
];
/** The addon, what loads and calls it, and the golden data that judge it. */
const nativeEngine = [
  ...addon,
  'src/engine/backends/native',
  'src/engine/backend.ts',
  'src/engine/noise.ts',
  'src/engine/prefix.ts',
  ':(glob)tests/golden/*.ts',
  'tests/fixtures/tiny-*',
  'tests/fixtures/lora',
];

/** Paths in git's patterns that decide the outcome of a suite, besides its file and folder. */
const sources: Readonly<Record<string, readonly string[]>> = {
  'demo-training': ['training', 'export'],
  'emulated-processors': [...nativeEngine, 'tests/system/emulated'],
  'fake-cards': [
    ...nativeEngine,
    'src/bench',
    'src/cli/doctor',
    'src/cli/probe',
    'src/engine/open-engine.ts',
    'src/engine/several-devices.ts',
    'src/metrics',
    'src/processors',
    'src/server/routes/service.ts',
  ],
  macos: addon,
  musl: [...nativeEngine, 'scripts/c-library.mjs', 'src/cli/doctor', 'tests/system/kernels'],
  ptx: addon,
  'rounds-of-numbers': [
    ...nativeEngine,
    'export',
    'src/engine/backends',
    'tests/engine/linear.test.ts',
    'tests/engine/backends',
    'tests/export',
    'tests/native',
    'tests/system/many-rounds.ts',
  ],
  sanitizer: [...nativeEngine, 'tests/native'],
  simt: nativeEngine,
  vulkan: nativeEngine,
  windows: [...nativeEngine, 'src/cli/doctor', 'src/files', 'src/speech-files', 'src/voices'],
};

/** Hash of the names and contents of the files in git's index that the patterns match. */
function digest(patterns: readonly string[]): string {
  const list = execFileSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: root, encoding: 'utf8' });
  const hash = createHash('sha256');
  for (const name of list.split('\0').filter((path) => path !== '')) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0');
  }
  return hash.digest('hex');
}

function digestOf(suite: string, patterns: readonly string[]): string {
  return digest([`tests/system/${suite}.test.ts`, `tests/system/${suite}`, ...patterns]);
}

function readRecord(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(recordPath, 'utf8'));
}

/** @returns names of the suites that passed with the sources that are here */
export function unchangedSuites(): readonly string[] {
  const record = readRecord();
  return Object.entries(sources).flatMap(([suite, patterns]) =>
    record[suite] === digestOf(suite, patterns) ? [suite] : [],
  );
}

/** Puts on record that the suites passed with the sources that are here. */
export function recordPassed(suites: readonly string[]): void {
  const record = { ...readRecord() };
  for (const suite of suites) {
    const patterns = sources[suite];
    if (patterns) record[suite] = digestOf(suite, patterns);
  }
  const sorted = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(recordPath, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

/** @returns the recorded suites that one of the patterns names, as jest matches paths */
export function recordedSuites(patterns: readonly string[]): readonly string[] {
  const isNamed = (suite: string) =>
    patterns.some((pattern) => new RegExp(pattern).test(`/tests/system/${suite}.test.ts`));
  return Object.keys(sources).filter((suite) => patterns.length === 0 || isNamed(suite));
}
