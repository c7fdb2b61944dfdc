/**
 * Builds the addon with AddressSanitizer and UndefinedBehaviorSanitizer in a copy of the project and runs the tests that
 * compute with it. Doesn't check ggml, which is prebuilt, or leaks, since memory that Node.js never frees would be
 * reported too; `tests/native/lifecycle` measures memory.
 */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { nativeSources } from '../support/native-sources.ts';
import { sharedFolder } from '../support/test-folder.ts';

const root = process.cwd();
const flags = '-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all';
const copy = sharedFolder();

/** The build takes minutes, and much longer on a busy machine. */
beforeAll(() => {
  for (const name of [
    'src',
    'export',
    'bench',
    'scripts',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'jest.config.js',
  ]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  for (const name of ['engine', 'golden', 'native', 'runner', 'support', 'fixtures']) {
    cpSync(join(root, 'tests', name), join(copy, 'tests', name), { recursive: true });
  }
  const { folders, probeFolder, buildFiles } = nativeSources();
  for (const name of [...folders, probeFolder, 'ggml', ...buildFiles]) {
    cpSync(join(root, 'native', name), join(copy, 'native', name), { recursive: true });
  }
  for (const name of ['node_modules', 'models']) symlinkSync(join(root, name), join(copy, name));
  cpSync(join(root, 'tests', 'system', 'sanitizer', 'broken.cc'), join(copy, 'native', 'addon', 'broken.cc'));
  const build = spawnSync(process.execPath, ['scripts/build-native.mjs', '--all'], {
    cwd: copy,
    env: { ...process.env, CXXFLAGS: `-O1 -g1 -fno-omit-frame-pointer ${flags}`, LDFLAGS: flags },
    encoding: 'utf8',
  });
  if (build.status !== 0) throw new Error(`${build.stdout}\n${build.stderr}`);
});

/** Preloads the sanitizers' runtime, which writes its reports to the folder. */
async function run(args: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const reports = mkdtempSync(join(copy, 'reports-'));
  const options = `halt_on_error=1:print_stacktrace=1:log_path=${join(reports, 'report')}`;
  const { code, stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: copy,
    env: {
      ...process.env,
      LD_PRELOAD: spawnSync('g++', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim(),
      ASAN_OPTIONS: `detect_leaks=0:quarantine_size_mb=16:${options}`,
      UBSAN_OPTIONS: options,
      ...variables,
    },
  }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number | null; stdout: string; stderr: string }) => error,
  );
  const files = readdirSync(reports).map((name) => readFileSync(join(reports, name), 'utf8'));
  // With ASan, UBSan writes to standard error, whatever its log_path.
  const lines = (stdout + stderr).split('\n').filter((line) => line.includes('runtime error:'));
  return { code, output: stdout + stderr, reported: [...files, ...lines].join('\n') };
}

const load = ['-e', "require('./native/build/Release/svc.node')"];

it.each([
  ['address', /heap-buffer-overflow/],
  ['undefined', /signed integer overflow/],
])('reports an error in the addon (%s)', async (mistake, report) => {
  const { code, reported } = await run(load, { SVC_TEST_MISTAKE: mistake });
  expect(reported).toMatch(report);
  expect(reported).toContain('broken.cc');
  expect(code).not.toBe(0);
});

it('loads a correct addon without reports', async () => {
  expect(await run(load)).toEqual({ code: 0, output: '', reported: '' });
});

it.concurrent.each([
  // The other models run the same code with other bounds. The model of tile registers is slow, and runs with the kernels;
  // the demo model is slow too, and runs once, where memory is bounded.
  ['golden values', ['tests/golden/golden', '--testNamePattern', '^(?!.*amx_model).*(tiny-v2: the exported|tiny-h64)']],
  [
    'batches, first steps and voices that are remembered',
    ['tests/golden/(batch|first-step|voice-memory)', '--testNamePattern', '^(?!.*amx_model|demo on )'],
  ],
  ['adapters', ['tests/golden/lora', '--testNamePattern', 'tiny-v2']],
  ['kernels', ['tests/native/(kernels|amx)']],
  ['streaming, cancelling, closing and wrong arguments', ['tests/native/lifecycle/(slices|arguments)']],
  ['two engines, ends in mid-step', ['tests/native/lifecycle/(two-engines|exit|terminate)']],
])('finds nothing: %s', async (_, patterns) => {
  const settings = ['--runInBand', '--testTimeout=3600000', ...patterns];
  const { code, output, reported } = await run(['node_modules/jest/bin/jest.js', ...settings]);
  expect(reported).toBe('');
  if (code !== 0) throw new Error(output);
  expect(output).toMatch(/Tests: .*\b[1-9]\d* passed/);
});
