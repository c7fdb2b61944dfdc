/** Names by which requests choose a model. */
import { SvcError } from '../errors.ts';
import { didYouMean, show } from '../messages.ts';
import { requestError } from '../validation.ts';

export interface ModelNames {
  readonly defaultName: string;
  /** Name of the model that has this name or alias. */
  find(name: string): string | undefined;
  /** Name of the model that a request means. @throws SvcError MODEL_NOT_FOUND */
  resolve(name: string | null | undefined): string;
  aliasesOf(name: string): readonly string[];
}

export interface NameOptions {
  /** The first is the default. */
  readonly names: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
  /** `any`: unknown names mean the default. */
  readonly match: 'exact' | 'any';
}

/** @throws SvcError INVALID_REQUEST for two models of one name, and for an alias of none */
export function createModelNames({ names, aliases, match }: NameOptions): ModelNames {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw requestError(`two models have the name ${show(twice)}; name one with --model NAME=PATH`);
  for (const [alias, target] of aliases) {
    const option = `--alias ${alias}=${target}`;
    if (names.includes(alias)) throw requestError(`${option}: ${show(alias)} is the name of a model`);
    if (names.includes(target)) continue;
    throw requestError(`${option}: unknown model ${show(target)} (available: ${names.join(', ')})`);
  }
  const [defaultName = ''] = names;
  const find = (name: string): string | undefined => (names.includes(name) ? name : aliases.get(name));
  return {
    defaultName,
    find,
    resolve(name) {
      if (name === undefined || name === null || name === '') return defaultName;
      const found = find(name) ?? (match === 'any' ? defaultName : undefined);
      if (found !== undefined) return found;
      const known = [...names, ...aliases.keys()];
      throw new SvcError(
        'MODEL_NOT_FOUND',
        `unknown model ${show(name)} (available: ${known.join(', ')})${didYouMean(name, known)}`,
        { param: 'model' },
      );
    },
    aliasesOf: (name) => [...aliases].filter(([, target]) => target === name).map(([alias]) => alias),
  };
}
