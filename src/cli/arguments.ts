/** Rules of the command line that commander does not have. */
import type { Command, Option } from 'commander';
import { SvcError } from '../errors.ts';
import { show } from '../messages.ts';

/** White space, a letter that no command has, or the end of a sentence. */
const textual = /\s|[^\p{ASCII}]|[.!?]$/u;

/**
 * `svc "Hello there."` is short for `svc tts "Hello there."`, and so is a line that starts with an option of `tts` or
 * with `--`. A single word is left as it is: it may be a misspelled command.
 */
export function withDefaultCommand(program: Command, argv: readonly string[]): readonly string[] {
  const [first] = argv;
  const speaking = findSubcommand(program, 'tts');
  if (first === undefined || speaking === undefined || isHelp(first) || findOption(program, first)) return argv;
  const isText =
    first === '--' || (first.startsWith('-') ? findOption(speaking, first) !== undefined : textual.test(first));
  return isText ? [speaking.name(), ...argv] : argv;
}

/** Commander does not list it among the options. */
const isHelp = (word: string): boolean => word === '-h' || word === '--help';

/** Refuses an option as the value of the one before, as in `svc tts --text --output hello.wav`. @throws SvcError */
export function checkValues(program: Command, argv: readonly string[]): void {
  let command = program;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] as string;
    if (word === '--') return;
    const option = findOption(command, word);
    if (option === undefined) {
      command = findSubcommand(command, word) ?? command;
    } else if (option.required && !word.includes('=')) {
      const value = argv[index + 1] ?? '';
      if (isHelp(value) || findOption(command, value) !== undefined) {
        const flag = option.long ?? word;
        throw new SvcError(
          'INVALID_REQUEST',
          `${flag} needs a value, got the option ${value}; to pass ${show(value)} itself: ${flag}=${value}`,
        );
      }
      index += 1;
    }
  }
}

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
