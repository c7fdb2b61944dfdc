import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { withTable } from '../../scripts/request-fields.ts';
import type { Io } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/program.ts';
import { readmeCommands } from '../clean-root/readme-commands.ts';
import { commandsIn, pagesIn } from '../docs/commands-in.ts';

const root = process.cwd();
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const pages = pagesIn(root);

it("extracts the README's commands", () => {
  const { packages, speak, test } = readmeCommands(readme);
  expect(packages).toEqual(expect.arrayContaining(['g++', 'git', 'libasound2', 'make', 'python3']));
  expect(speak).toMatch(/^npm ci && npx svc tts .+ --output hello\.wav$/);
  expect(test).toBe('npm test');
});

it('names missing parts of a README', () => {
  expect(() => readmeCommands('## Two commands\n\n```sh\nnpm ci\n```\n\n## Use\n')).toThrow('sudo apt install');
});

it('shows commands, TypeScript, picture and three rows of numbers on the first screens', () => {
  const lines = readme.split('\n');
  const at = (pattern: RegExp): number => lines.findIndex((line) => pattern.test(line));
  expect(at(/^npm ci/)).toBeLessThan(14);
  expect(at(/^```ts/)).toBeLessThan(30);
  expect(at(/^!\[/)).toBeLessThan(40);
  expect(lines.slice(0, 45).filter((line) => /^\| VoxCPM/.test(line))).toHaveLength(3);
});

it('has the table of request fields as the engine has it (npm run request-fields)', () => {
  const page = readFileSync(join(root, 'docs', 'request-fields.md'), 'utf8');
  expect(withTable(page)).toBe(page);
  expect(withTable(page.replace('guidance scale', 'scale'))).toBe(page);
});

/** Options that the command does not have. */
function unknownIn(program: Command, words: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words;
  const named = (parent: Command, name: string) => parent.commands.find((command) => command.name() === name);
  const command = named(program, first) ?? named(program, 'tts');
  const nested = command && (named(command, second) ?? command);
  const given = words.slice(0, words.indexOf('--') < 0 ? words.length : words.indexOf('--'));
  const flags = given.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=')[0] as string);
  const known = [program, nested].flatMap((one) => one?.options ?? []);
  return flags.filter(
    (flag) => !['-h', '--help'].includes(flag) && !known.some(({ long, short }) => flag === long || flag === short),
  );
}

describe('the commands of the documentation', () => {
  let program: Command;
  beforeAll(async () => {
    program = await createProgram({} as Io);
  });

  it.each(pages)('%s names options that exist', (page) => {
    const commands = commandsIn(readFileSync(join(root, page), 'utf8'));
    const wrong = commands.flatMap((words) => unknownIn(program, words).map((flag) => `${words.join(' ')}: ${flag}`));
    expect(wrong).toEqual([]);
  });

  it('are found, and a wrong option among them', () => {
    expect(commandsIn(readFileSync(join(root, 'docs', 'cli.md'), 'utf8')).length).toBeGreaterThan(25);
    const [words = []] = commandsIn('```sh\nX=1 npx svc tts "Hello." \\\n  --ouput a.wav | cat\n```\n');
    expect(words).toEqual(['tts', 'Hello.', '--ouput', 'a.wav']);
    expect(unknownIn(program, words)).toEqual(['--ouput']);
  });
});
