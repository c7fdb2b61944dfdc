/** Values of options: numbers, names, and how the help describes them. */
import { type AddHelpTextContext, Command, Option } from 'commander';
import { didYouMean, show } from '../../messages.ts';
import { describeRange, invalid, type Range, requestError } from '../../validation.ts';
import { suggesting } from '../completion/suggested.ts';

const numerals = { integer: /^[+-]?\d+$/, number: /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i } as const;

/** Parses a decimal number within the range. */
export function parseNumber(flag: string, range: Range): (text: string) => number {
  return (text) => {
    const value = numerals[range.kind].test(text) ? Number(text) : Number.NaN;
    if (value >= range.minimum && value <= range.maximum) return value;
    throw invalid(describeRange(range), flag, show(text));
  };
}

/** The help of an option, in the one style of all: `what (values) (default: fallback)`. */
const describeOption = (what: string, values: string, fallback?: string | number): string =>
  `${what} (${values})${fallback === undefined ? '' : ` (default: ${fallback})`}`;

/** @param fallback the default in words, where the range has none */
export function numberOption(flag: string, range: Range, what: string, fallback?: string): Option {
  const description = describeOption(what, `${range.minimum} to ${range.maximum}`, range.default ?? fallback);
  return new Option(`${flag} <number>`, description).argParser(parseNumber(flag.replace(/^-\w, /, ''), range));
}

/** Likewise, with the default of the range as its value. */
export function rangeOption(
  flag: string,
  { default: value, ...range }: Range,
  what: string,
  fallback?: string,
): Option {
  const option = numberOption(flag, range, what, fallback);
  return value === undefined ? option : option.default(value);
}

/** Refuses an option where it doesn't fit, such as one of an unused broker. @param problem follows its flag */
export function refuseOptions<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
  problem: string,
): void {
  for (const name of names) if (options[name] !== undefined) throw requestError(`${flagOf(name)} ${problem}`);
}

/** The flag of an option, such as `--voice-dir` of `voiceDir`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** An option, perhaps as it is in the help: `--json: print one line of JSON`. */
export type Described = Option | string;

function optionOf(described: Described): Option {
  if (typeof described !== 'string') return described;
  const [flags = '', ...description] = described.split(': ');
  return new Option(flags, description.join(': '));
}

/** A command whose help ends with a text. */
export function commandWith(
  name: string,
  help: string | ((context: AddHelpTextContext) => string),
  options: readonly Described[],
): Command {
  const command = new Command(name).addHelpText('after', typeof help === 'string' ? () => help : help);
  for (const option of options) command.addOption(optionOf(option));
  return command;
}

/** Puts options under a heading of the help. */
export const grouped = (heading: string, options: readonly Described[]): readonly Option[] =>
  options.map((option) => optionOf(option).helpGroup(heading));

/** Parses one of several lower-case names, in any case. @param hint ends the message about an unknown name */
export function parseName<Name extends string>(
  flag: string,
  names: readonly Name[],
  hint = (given: string): string => didYouMean(given, names),
): (text: string) => Name {
  return (text) => {
    const given = text.toLowerCase();
    const found = names.find((name) => name === given);
    if (found !== undefined) return found;
    throw invalid(`one of ${names.join(', ')}`, flag, `${show(text)}${hint(given)}`);
  };
}

/** @param fallback the default in words, unless commander has it */
export const nameOption = (flag: string, names: readonly string[], what: string, fallback?: string): Option =>
  choosing(names, `${flag} <name>`, what, fallback).argParser(parseName(flag, names));

/** An option of several names, separated by commas. */
export const namesOption = (flag: string, names: readonly string[], what: string, fallback: string): Option =>
  choosing(names, `${flag} <names>`, what, fallback).argParser(listOf(parseName(flag, names)));

/** An option with fixed values, for one whose parser differs. */
export const choosing = (names: readonly string[], flags: string, what: string, fallback?: string): Option =>
  suggesting(new Option(flags, describeOption(what, `choices: ${names.join(', ')}`, fallback)), names);

/** Comma-separated values without duplicates. */
export const listOf =
  <Value>(parse: (text: string) => Value) =>
  (text: string): readonly Value[] => [...new Set(text.split(',').map((part) => parse(part.trim())))];

/** Parses an option that may be repeated: its values, in order. */
export const repeated = (value: string, others: readonly string[] = []): readonly string[] => [...others, value];
