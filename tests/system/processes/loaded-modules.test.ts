/** A short run loads few modules: loading all of them takes many times as long as what it does. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { commandTable } from '../../../src/cli/command-table.ts';
import type { Io } from '../../../src/cli/io.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { freshFolder } from '../../support/test-folder.ts';

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

/** The modules that a run loads, but for those of Node.js itself. */
function modulesOf(program: string, ...words: readonly string[]): readonly string[] {
  const file = folder.join('modules');
  const register = `import { register } from 'node:module';
    register(${JSON.stringify(asData(hooks))}, { data: ${JSON.stringify(file)} });`;
  // The sources even where the tests run what was compiled from them: there, `load-all.mjs` could not import them.
  const settings = ['--import', 'tsx', '--import', asData(register), program];
  const { status, stderr } = spawnSync(process.execPath, [...settings, ...words], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return [...new Set(readFileSync(file, 'utf8').split('\n'))].filter((url) => url.startsWith('file:'));
}

const svc = join('src', 'cli', 'main.ts');
const packageOf = (url: string): string | undefined => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
const packagesOf = (modules: readonly string[]): readonly string[] =>
  [...new Set(modules.flatMap((url) => packageOf(url) ?? []))].sort();

describe('svc loads', () => {
  it.each([['--version'], ['--help']])('next to nothing for %s', (word) => {
    const modules = modulesOf(svc, word);
    expect(modules.join('\n')).toContain('/cli/program.');
    expect(packagesOf(modules)).toEqual(['commander', 'leven']);
    expect(modules.filter((url) => /\/src\/(?!cli|files|package|[\w-]+\.)/.test(url))).toEqual([]);
    expect(modules.length).toBeLessThan(30);
  });

  it('options alone for the help of commands, neither an engine nor a server', async () => {
    const program = folder.join('load-all.mjs');
    const table = pathToFileURL(join(process.cwd(), 'src', 'cli', 'command-table.ts'));
    const code = `import { commandTable } from ${JSON.stringify(table)};
      for (const { load } of commandTable) (await load())({});`;
    await writeFile(program, code);
    const modules = modulesOf(program);
    expect(modules.filter((url) => url.includes('/cli/commands/')).length).toBeGreaterThanOrEqual(commandTable.length);
    // A new one needs a reason: each command pays for it.
    const light = ['alawmulaw', 'commander', 'get-east-asian-width', 'leven', 'wav-encoder', 'zod'];
    expect(packagesOf(modules).filter((name) => !light.includes(name))).toEqual([]);
    const heavy =
      /\/src\/(?:engine\/(?:(?:engine|open-engine|generate)\.|script\/parse|text\/verbalize)|server\/(?:app|routes|schemas|speech)|broker\/(?:front|worker|shared\/connection)|voices\/\w+-store)/;
    expect(modules.filter((url) => heavy.test(url))).toEqual([]);
    expect(modules.filter((url) => !packageOf(url)).length).toBeLessThan(190);
  });

  it('neither books nor captions for a short text', () => {
    const output = folder.join('hello.wav');
    const modules = modulesOf(svc, 'tts', 'Yes.', '--output', output, '--quiet', '--threads', '1');
    const unused =
      /\/src\/(?:book\/read|captions|hub\/(?:resolve|download)|server|broker|voices\/\w+-store|cli\/book\/speak)/;
    expect(modules.filter((url) => unused.test(url))).toEqual([]);
    expect(modules.length).toBeLessThanOrEqual(405);
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
