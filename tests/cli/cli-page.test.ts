import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Io } from '../../src/cli/io.ts';
import { environmentVariables } from '../../src/cli/options/environment-variables.ts';
import { createProgram } from '../../src/cli/program.ts';
import { type ErrorCode, SvcError } from '../../src/errors.ts';

const root = process.cwd();
const page = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');
const sources = ['src', 'export', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
);

/** Table rows under a heading, by their first cell. */
function rowsBelow(heading: string): readonly (readonly [string, string])[] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => [row.split('|')[1]?.trim() ?? '', row] as const);
}

const quoted = (text: string): readonly string[] =>
  [...text.matchAll(/`([A-Z\d_]{2,})`/g)].map(([, name]) => name ?? '');

describe('docs/cli.md', () => {
  it('has every command', async () => {
    const names = (await createProgram({} as Io)).commands.map((command) => command.name());
    for (const name of names) expect(page).toContain(`| \`svc ${name}\` |`);
  });

  it('has every exit code', () => {
    const text = readFileSync(join(root, 'src', 'errors.ts'), 'utf8');
    const codes = [...text.matchAll(/^ {2}([A-Z_]+): \{ exitCode/gm)].map(([, code]) => code as ErrorCode);
    expect(codes.length).toBeGreaterThan(10);
    const documented = rowsBelow('Exit codes').flatMap(([exitCode, row]) =>
      quoted(row).map((code) => [code, Number(exitCode)]),
    );
    const actual = codes.map((code) => [code, new SvcError(code, '').exitCode]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(actual));
  });

  it('has every environment variable that is read', () => {
    const read = new Set(
      sources.flatMap((source) => [
        ...[...source.matchAll(/\b(?:SVC|HF|MODELSCOPE)_[A-Z][A-Z_]*[A-Z]\b/g)].map(([name]) => name),
        ...[
          ...source.matchAll(/\b(?:environment\.|readVariable\(io, '|variableOf\(environment, ')([A-Z][A-Z\d_]+)/g),
        ].map(([, name]) => name as string),
      ]),
    );
    const documented = rowsBelow('Environment variables').flatMap(([cell]) => quoted(cell));
    expect([...documented].sort()).toEqual([...read].sort());
    expect(environmentVariables.map(({ name }) => name).sort()).toEqual([...read].sort());
  });
});
