/** Looks up words of a command line in commander's definitions. */
import type { Command, Option } from 'commander';

/** @param word a short or a long flag, perhaps with its value: `--type=q8_0` */
export function findOption({ options }: Command, word: string): Option | undefined {
  const [flag] = word.split('=');
  return options.find(({ short, long }) => flag === long || flag === short);
}

export const findSubcommand = ({ commands }: Command, name: string | undefined): Command | undefined =>
  commands.find((command) => command.name() === name);

/** The command that the first words name. */
export function commandOf(command: Command, [first, ...rest]: readonly string[]): Command {
  const nested = findSubcommand(command, first);
  return nested === undefined ? command : commandOf(nested, rest);
}
