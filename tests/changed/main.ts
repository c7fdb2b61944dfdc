/**
 * `npm run test:changed -- [COMMIT]`: the tests of what changed since the commit, which is the upstream branch by default:
 * unit tests that import a changed file, and what `checks.ts` lists. System suites need root.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksOf } from './checks.ts';

const root = join(import.meta.dirname, '..', '..');
const jest = ['node_modules/jest/bin/jest.js'];

/** The lines of its output. @throws Error with what it wrote to standard error */
function linesOf(command: string, settings: readonly string[]): readonly string[] {
  const { status, stdout, stderr, error } = spawnSync(command, settings, { cwd: root, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${settings.join(' ')}: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

function succeeds(command: string, settings: readonly string[]): boolean {
  const { status, error } = spawnSync(command, settings, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  return status === 0;
}

function main(): boolean {
  const [commit = '@{upstream}'] = process.argv.slice(2);
  const [base = ''] = linesOf('git', ['merge-base', 'HEAD', commit]);
  const untracked = linesOf('git', ['ls-files', '--others', '--exclude-standard']);
  const changed = [...linesOf('git', ['diff', '--name-only', base]), ...untracked];
  const { unit, system } = checksOf(changed);
  const listed = linesOf(process.execPath, [...jest, '--listTests', `--changedSince=${base}`]);
  const others = unit.length === 0 ? [] : linesOf(process.execPath, [...jest, '--listTests', ...unit]);
  const files = [...new Set([...listed, ...others])].filter((path) => existsSync(path));
  console.log(`${changed.length} changed files, ${files.length} files of unit tests, ${system.length} system suites`);
  const unitPassed = files.length === 0 || succeeds(process.execPath, [...jest, '--runTestsByPath', ...files]);
  if (system.length === 0) return unitPassed;
  if (process.getuid?.() !== 0) {
    console.log(`Not run, as they need root: npm run test:system -- ${system.join(' ')}`);
    return unitPassed;
  }
  return succeeds('npm', ['run', '--silent', 'test:system', '--', ...system]) && unitPassed;
}

try {
  if (!main()) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
