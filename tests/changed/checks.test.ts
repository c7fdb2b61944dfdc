import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { checksByPath, checksOf } from './checks.ts';

const suites = ['tests/system', 'tests/browser'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`),
);

describe('the checks of changed files', () => {
  it('name files, folders and suites that exist', () => {
    const entries = Object.entries(checksByPath);
    const named = entries.flatMap(([path, { unit = [] }]) => [path, ...unit]);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
    const system = entries.flatMap(([, checks]) => checks.system ?? []);
    expect(system.filter((name) => !suites.some((suite) => suite.startsWith(name)))).toEqual([]);
  });

  it('are those of the file and of all folders above it', () => {
    const { unit, system } = checksOf(['src/cli/batch/batch-progress.ts', 'src/clients.ts']);
    expect(unit).toEqual(expect.arrayContaining(['tests/cli/arguments.test.ts', 'tests/cli/batch']));
    expect(system).toEqual(expect.arrayContaining(['tests/system/processes/speak', 'tests/system/batch.test']));
    expect(checksOf(['src/errors.ts'])).toEqual({ unit: [], system: [] });
  });

  it('are the suite itself where that changed', () => {
    expect(checksOf(['tests/browser/speak.test.ts', 'tests/browser/launch.ts']).system).toEqual([
      'tests/browser/speak.test.ts',
    ]);
  });
});
