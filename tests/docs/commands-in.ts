import { split } from 'shlex';

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
