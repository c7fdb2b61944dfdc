/** A short run loads few modules: loading all of them takes many times as long as what it does. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { svcProgram } from '../../bench/svc-program.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import type { Io } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/program.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();

/** Notes the address of each module in the file that it is given. */
const hooks = `
import { appendFileSync } from 'node:fs';
let file;
export function initialize(path) { file = path; }
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  appendFileSync(file, found.url + '\\n');
  return found;
}`;

const asData = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** The modules that a command line loads, but for those of Node.js itself. */
function modulesOf(...words: readonly string[]): readonly string[] {
  const file = folder.join('modules');
  const register = `import { register } from 'node:module';
    register(${JSON.stringify(asData(hooks))}, { data: ${JSON.stringify(file)} });`;
  const [program = '', ...loader] = [...svcProgram()].reverse();
  const settings = [...loader.reverse(), '--import', asData(register), program];
  const { status, stderr } = spawnSync(process.execPath, [...settings, ...words], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return [...new Set(readFileSync(file, 'utf8').split('\n'))].filter((url) => url.startsWith('file:'));
}

describe('svc loads', () => {
  it.each([['--version'], ['--help']])('next to nothing for %s', (word) => {
    const modules = modulesOf(word);
    expect(modules.join('\n')).toContain('/cli/program.');
    expect(
      modules.filter((url) => /\/node_modules\/(?!commander|leven)|\/src\/(?!cli|files|package|\w+\.)/.test(url)),
    ).toEqual([]);
    expect(modules.length).toBeLessThan(30);
  });
});

describe('the list of commands', () => {
  it('is the same without the commands', async () => {
    const [all, none] = await Promise.all([createProgram({} as Io), createProgram({} as Io, () => false)]);
    expect(none.helpInformation()).toBe(all.helpInformation());
    expect(all.commands.map((command) => command.name())).toEqual(commandTable.map(({ name }) => name));
    expect(none.commands.every(({ options }) => options.length <= 1)).toBe(true);
  });
});
