import type { Command, CommanderError } from 'commander';
import { quote } from '../messages.ts';
import { shellWord } from '../package/shell-word.ts';
import { commandOf } from './arguments.ts';
import { similarCommands, similarFlags, withoutValue } from './similar-words.ts';

/** The message of an error of commander, in the style of all others. */
export function describeUsageError(
  { code, message: original }: CommanderError,
  program: Command,
  words: readonly string[],
): string {
  const message = original.replace(/^error: /, '');
  const command = commandOf(program, words);
  switch (code) {
    case 'commander.unknownCommand':
    case 'commander.unknownOption':
      return describeUnknown(message, command, words);
    case 'commander.excessArguments':
      return `unexpected argument ${quote(command.args[command.registeredArguments.length] ?? '')}${wayOut(command)}`;
    case 'commander.missingMandatoryOptionValue': {
      // A mistyped option is why the right one is missing.
      const unknown = unknownFlag(command, words);
      if (unknown !== undefined) return describeUnknown(`unknown option '${unknown}'`, command, words);
      return `${quotedIn(message).map(longFlag)} is required; see ${pathOf(command)} --help`;
    }
    case 'commander.missingArgument':
      return `${quotedIn(message)[0]?.toUpperCase()} is required; see ${pathOf(command)} --help`;
    case 'commander.optionMissingArgument':
      return `${quotedIn(message).map(longFlag)} needs a value`;
    case 'commander.conflictingOption':
      return `${quotedIn(message).map(longFlag).join(' and ')} cannot be combined`;
    default:
      return message;
  }
}

function unknownFlag(command: Command, words: readonly string[]): string | undefined {
  const known = new Set(
    [command, ...(command.parent === null ? [] : [command.parent])].flatMap(({ options }) =>
      options.map(({ long }) => long),
    ),
  );
  const end = words.indexOf('--');
  const flags = (end < 0 ? words : words.slice(0, end)).filter((word) => /^--[a-z]/i.test(word));
  return flags.find((flag) => !known.has(withoutValue(flag)) && flag !== '--help');
}

function describeUnknown(message: string, command: Command, [first]: readonly string[]): string {
  const [, unknown, name = '', similar] =
    /^(unknown \w+) '(.*)'(?:\s+\(Did you mean (?:one of )?(.*)\?\))?$/s.exec(message) ?? [];
  if (unknown === undefined) return message;
  const isCommand = unknown === 'unknown command';
  const meant = isCommand ? similarCommands(name, command) : similarFlags(name, command);
  const hints = meant.length > 0 ? meant : (similar?.split(', ') ?? []);
  const problem = `${unknown} ${quote(name.startsWith('--') ? withoutValue(name) : name)}`;
  const spoken = isCommand ? (name === first ? `to speak the word: svc tts ${name}` : '') : toSpeak(name, command);
  if (hints.length === 0) return `${problem}; ${spoken || `see ${pathOf(command)} --help`}`;
  const question = `${problem}; did you mean ${orList.format(hints.map(quote))}?`;
  return spoken === '' ? question : `${question} ${spoken.charAt(0).toUpperCase()}${spoken.slice(1)}`;
}

const orList = new Intl.ListFormat('en', { type: 'disjunction' });

/** A text that begins with a hyphen, such as "-5 degrees", is taken for an option. */
function toSpeak(word: string, command: Command): string {
  const isFlag = /^--?[a-z][\w-]*(?:=.*)?$/is.test(word);
  if (isFlag || !['svc', 'tts', 'clone'].includes(command.name())) return '';
  return `to speak it, put -- before it: ${command.name() === 'clone' ? 'svc clone' : 'svc tts'} -- ${shellWord(word)}`;
}

function wayOut(command: Command): string {
  if (command.name() === 'tts' || command.name() === 'clone') return '; put the text in quotes';
  return command.name() === 'batch' ? '; name the input with --input' : `; see ${pathOf(command)} --help`;
}

const quotedIn = (message: string): readonly string[] =>
  [...message.matchAll(/'([^']*)'/g)].map(([, name = '']) => name);

/** `--output` of `-o, --output <file>`. */
const longFlag = (flags: string): string => flags.match(/--[\w-]+/g)?.at(-1) ?? flags;

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
