/** Values to suggest for options and arguments, marked where these are defined. */
import type { Argument, Option } from 'commander';

/** Fixed values, or names that have to be looked up. */
export type Values = readonly string[] | 'models' | 'voices';

const marked = new WeakMap<Option | Argument, Values>();

/** Marks an option or argument with its possible values, for completion. Returns it. */
export function suggesting<Parameter extends Option | Argument>(parameter: Parameter, values: Values): Parameter {
  marked.set(parameter, values);
  return parameter;
}

export const suggestedValues = (parameter: Option | Argument): Values | undefined =>
  marked.get(parameter) ?? parameter.argChoices;
