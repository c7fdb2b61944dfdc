import type { Command, Option } from 'commander';
import { SvcError } from '../../errors.ts';
import { show } from '../../messages.ts';
import { invalid, readTruth } from '../../validation.ts';
import type { Io } from '../io.ts';
import { readVariable } from './environment-variables.ts';

/** Sets options that were not given from environment variables. Commander's own support reads those of the process. */
export function setFromEnvironment(
  command: Command,
  variables: Readonly<Record<string, string>>,
  io: Pick<Io, 'environment'>,
): void {
  for (const option of command.options) {
    const attribute = option.attributeName();
    const variable = variables[attribute] ?? '';
    const text = readVariable(io, variable);
    if (text === undefined || command.getOptionValueSource(attribute) === 'cli') continue;
    command.setOptionValueWithSource(attribute, parseVariable(option, variable, text), 'env');
  }
}

function parseVariable(option: Option, variable: string, text: string): unknown {
  if (option.isBoolean()) {
    const truth = readTruth(text);
    if (truth === undefined) throw invalid('1, true, 0 or false', variable, show(text));
    return truth;
  }
  try {
    return option.parseArg?.(text, undefined) ?? text;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, `${error.message} (from ${variable})`, { cause: error });
  }
}
