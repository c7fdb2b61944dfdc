/**
 * `npm run test:system [-- [--all | --record] SUITE...]`: installs packages and runs `tests/system` and `tests/browser`, or
 * the suites named. Without names or `--all`, it leaves out the suites of the addon on other systems whose sources are those
 * they passed with. `--record` puts those that pass on record.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runMain } from '../support/run-main.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recordedSuites, recordPassed, unchangedSuites } from './checked-sources.ts';
import { installPackages } from './packages.ts';

const root = join(import.meta.dirname, '..', '..');

/** Of suites that hear or measure in real time. */
const timed = '/tests/system/(playback|threads)';
/** Of suites that wait most of the time, for timers, other processes or a browser. */
const waiting = '/tests/(browser/|system/(broker|postgres|reverse-proxy|wyoming))';
const ignoring = (...patterns: readonly string[]) => ['--testPathIgnorePatterns', '/node_modules/', ...patterns];

interface Lane {
  readonly settings: readonly string[];
  /** Higher values give way to lower ones. */
  readonly niceness: number;
}

/**
 * One stage after the other, the lanes of each side by side: suites that compute take the processor time that those that
 * wait leave. Suites in real time come last, before anything else that runs on the machine.
 */
function stages(unchanged: readonly string[]): readonly (readonly Lane[])[] {
  const leftOut = unchanged.map((suite) => `/tests/system/${suite}(?:\\.test|/)`);
  return [
    [
      { settings: ['--maxWorkers=4', ...ignoring(`^(?!.*${waiting})`)], niceness: 0 },
      { settings: ['--maxWorkers=2', ...ignoring(waiting, timed, ...leftOut)], niceness: 10 },
    ],
    [{ settings: ['--maxWorkers=1', ...ignoring(`^(?!.*${timed})`)], niceness: -10 }],
  ];
}

/** Returns whether the command succeeded. */
async function run(command: string, settings: readonly string[], env = process.env): Promise<boolean> {
  const child = spawn(command, settings, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env });
  const [code] = await once(child, 'close');
  return code === 0;
}

function runJest({ settings, niceness }: Lane, environment: Readonly<Record<string, string>>): Promise<boolean> {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const line = [process.execPath, jest, '--config', 'tests/system/jest.config.js', ...settings];
  return run('nice', ['-n', String(niceness), ...line], { ...process.env, ...environment });
}

async function main(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync('/etc/debian_version')) {
    throw new Error(`the system tests need Debian on x64, not ${process.platform} ${process.arch}`);
  }
  await using folder = await temporaryFolder();
  const options = { all: { type: 'boolean' }, record: { type: 'boolean' } } as const;
  const { values, positionals: names } = parseArgs({ options, allowPositionals: true });
  const unchanged = values.all || values.record ? [] : unchangedSuites();
  // Packing compiles the addon with all of its kernels, which takes minutes, for one suite.
  const packs =
    process.env.SVC_TARBALL === undefined &&
    (names.length === 0 || names.some((name) => new RegExp(name).test('/tests/system/packaging.test.ts')));
  // The tests run `bin/svc.js`, which this compiles: here, as nothing may run it meanwhile.
  const compiling = packs ? ['pack', '--silent', '--pack-destination', folder.path] : ['run', '--silent', 'prepare'];
  const [packages, isCompiled] = await Promise.all([installPackages(folder.path), run('npm', compiling)]);
  if (!isCompiled) throw new Error(`npm ${compiling[0]} failed`);
  const packed = readdirSync(folder.path).find((name) => name.endsWith('.tgz'));
  // Both lanes compile what is not compiled yet, to the same folder.
  const compile = "(await import('./tests/runner/compile.js')).default()";
  if (!(await run(process.execPath, ['--input-type=module', '--eval', compile]))) throw new Error('cannot compile');
  const environment = { ...packages, BENCH_COMPILED_SVC: '1', ...(packed && { SVC_TARBALL: folder.join(packed) }) };
  if (names.length === 0 && unchanged.length > 0) {
    console.log(`left out, as their sources are those that passed (--all runs them): ${unchanged.join(', ')}`);
  }
  const chosen = names.length > 0 ? [[{ settings: names, niceness: 0 }]] : stages(unchanged);
  for (const lanes of chosen) {
    const passed = await Promise.all(lanes.map((lane) => runJest(lane, environment)));
    if (passed.includes(false)) process.exitCode = 1;
  }
  if (values.record && !process.exitCode) recordPassed(recordedSuites(names));
}

await runMain(main);
