/** Completions of an unfinished command line, from commander's definitions. */
import { type Argument, type Command, Help, type Option } from 'commander';
import { findOption, findSubcommand } from '../arguments.ts';
import { suggestedValues, type Values } from './suggested.ts';

type Suggestion = { readonly value: string; readonly description: string };

/** The shell completes `files` and `folders` itself; with `values`, the suggestions are complete. */
export type Answer = { readonly kind: 'files' | 'folders' | 'values'; readonly suggestions: readonly Suggestion[] };

type Position = ReturnType<typeof walk>;

/** Lists the values of an option; `given` has the values of earlier options, by attribute name. */
export type ListValues = (
  values: Values,
  given: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

/** @param words after the program's name, as the shell splits them; the last one is unfinished and may be empty */
export async function suggest(program: Command, words: readonly string[], list: ListValues): Promise<Answer> {
  const last = words.at(-1) ?? '';
  const position = walk(program, words.slice(0, -1));
  const { command, option, positionals, given } = position;
  if (option !== undefined) return valuesOf(option, last);
  const [flag, text] = splitValue(last);
  const inline = text === undefined ? undefined : findOption(command, flag);
  if (inline !== undefined && text !== undefined) return valuesOf(inline, text);
  if (last.startsWith('-')) return answer(optionsOf(command), last);
  const argument = argumentAt(position);
  if (argument !== undefined) return valuesOf(argument, last);
  return answer(positionals === 0 ? commandsOf(command) : [], last);

  async function valuesOf(parameter: Option | Argument, start: string): Promise<Answer> {
    const values = suggestedValues(parameter);
    if (values === undefined) return { kind: placeholderKind(parameter), suggestions: [] };
    const found = await list(values, given);
    return answer(
      found.map((value) => ({ value, description: '' })),
      start,
    );
  }
}

const answer = (suggestions: readonly Suggestion[], start: string): Answer => ({
  kind: 'values',
  suggestions: suggestions.filter(({ value }) => value.startsWith(start)),
});

/** Splits `--type=q8_0`. */
function splitValue(word: string): readonly [flag: string, value: string | undefined] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word, undefined];
}

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** The command of the words, with what it was given so far, and the option whose value comes next. */
function walk(program: Command, words: readonly string[]) {
  let command = program;
  /** Finished arguments that are not options. */
  let positionals = 0;
  const given: Record<string, string> = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string;
    if (word.startsWith('-') && word !== '-') {
      const [flag, text] = splitValue(word);
      const option = findOption(command, flag);
      if (option === undefined || !takesValue(option)) continue;
      if (text === undefined && index + 1 === words.length) return { command, positionals, option, given };
      given[option.attributeName()] = text ?? (words[index + 1] as string);
      if (text === undefined) index += 1;
      continue;
    }
    const nested = positionals === 0 ? findSubcommand(command, word) : undefined;
    if (nested === undefined) positionals += 1;
    else command = nested;
  }
  return { command, positionals, option: undefined, given };
}

function argumentAt({ command, positionals }: Position): Argument | undefined {
  const { registeredArguments: known } = command;
  const last = known.at(-1);
  return known[positionals] ?? (last?.variadic ? last : undefined);
}

/** All of them, of which `--help` may show a part. */
const optionsOf = (command: Command): readonly Suggestion[] =>
  new Help()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));

const commandsOf = (command: Command): readonly Suggestion[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((nested) => ({ value: nested.name(), description: nested.description() }));

/** Placeholders determine what to complete: `<file>` and `<path>` files, `<folder>` folders. */
function placeholderKind(parameter: Option | Argument): Answer['kind'] {
  const placeholder = 'flags' in parameter ? parameter.flags : `<${parameter.name()}>`;
  if (/[<[](file|path)s?(\.\.\.)?[>\]]/.test(placeholder)) return 'files';
  return /[<[]folder(\.\.\.)?[>\]]/.test(placeholder) ? 'folders' : 'values';
}
