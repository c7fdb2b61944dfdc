import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { split } from 'shlex';

/** README and the pages of the documentation, from the root of the project. */
export const pagesIn = (root: string): readonly string[] => [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Words of the commands of svc in the shell blocks of a page. */
export function commandsIn(page: string): readonly (readonly string[])[] {
  const blocks = [...page.matchAll(/^```(?:sh|bash)\n(.*?)^```/gms)].map(([, block = '']) => block);
  const commands = blocks
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) => line.replace(/(^|\s)#.*/, '').split(/\s(?:\||&&|;)\s/))
    .map((command) =>
      command
        .replace(/ > .*/, '')
        .trim()
        .replace(/^(?:(?:sudo|npx|\w+=\S+)\s+)+/, ''),
    );
  return commands.filter((command) => command.startsWith('svc ')).map((command) => split(command).slice(1));
}
