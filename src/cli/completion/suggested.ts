/** What options and arguments take, where their placeholder doesn't say it: marked where they are defined. */
import type { Argument, Option } from 'commander';

/** Fixed values, or names of things that come and go. */
export type Values = readonly string[] | 'models' | 'voices';

const marked = new WeakMap<Option | Argument, Values>();

/** Marks an option or an argument with what the shell may complete it to; returns it. */
export function suggesting<Parameter extends Option | Argument>(parameter: Parameter, values: Values): Parameter {
  marked.set(parameter, values);
  return parameter;
}

export const suggestedValues = (parameter: Option | Argument): Values | undefined =>
  marked.get(parameter) ?? parameter.argChoices;
