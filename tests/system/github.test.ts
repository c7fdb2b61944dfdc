/** The files in `.github`. Needs actionlint and the Python package check-jsonschema. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { freshFolder } from '../support/test-folder.ts';

const binaries = join(process.env.PYTHONPATH ?? '', 'bin');
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) => (name.endsWith('.yml') ? join(folder, name) : []));
const workflows = filesIn(join('.github', 'workflows'));
const forms = filesIn(join('.github', 'ISSUE_TEMPLATE')).filter((path) => !path.endsWith('config.yml'));

const folder = freshFolder();

function run(
  program: string,
  settings: readonly string[],
): { readonly status: number | null; readonly output: string } {
  const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(program, settings, { encoding: 'utf8', env });
  return { status, output: `${stdout}${stderr}` };
}

const checkSchema = (schema: string, files: readonly string[]) =>
  run('check-jsonschema', ['--builtin-schema', `vendor.${schema}`, ...files]);

describe('.github', () => {
  it('has workflows that actionlint accepts', async () => {
    expect(run('actionlint', workflows)).toEqual({ status: 0, output: '' });
    const wrong = folder.join('wrong.yml');
    await writeFile(wrong, readFileSync(workflows[0] as string, 'utf8').replace('runs-on:', 'run-on:'));
    expect(run('actionlint', [wrong]).status).toBe(1);
  });

  it.each([
    ['github-workflows', workflows],
    ['github-issue-forms', forms],
    ['github-issue-config', [join('.github', 'ISSUE_TEMPLATE', 'config.yml')]],
  ])('fits the schema %s', async (schema, files) => {
    expect(checkSchema(schema, files)).toMatchObject({ status: 0 });
    const wrong = folder.join('wrong.yml');
    await writeFile(wrong, 'name: 3\n');
    expect(checkSchema(schema, [wrong])).toMatchObject({ status: 1 });
  });

  it('runs only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const commands = workflows.flatMap((path) =>
      Object.values(
        parse(readFileSync(path, 'utf8')).jobs as Record<string, { steps?: readonly { run?: string }[] }>,
      ).flatMap(({ steps = [] }) => steps.map(({ run: command = '' }) => command)),
    );
    const named = commands.flatMap((command) =>
      [...command.matchAll(/npm run (\S+)/g)].map(([, name]) => name as string),
    );
    expect(named).toEqual(expect.arrayContaining(['lint', 'test:unit']));
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});
