/** Names of downloadable models: short names and Hugging Face repositories. */
import { didYouMean } from '../did-you-mean.ts';
import { SvcError } from '../errors.ts';

/** A Hugging Face repository at a branch, tag or commit. */
export interface ModelSource {
  /** `organization/name`. */
  readonly repository: string;
  readonly revision: string;
}

/** The published checkpoints (OpenBMB/VoxCPM, README.md). */
export const knownModels: Readonly<Record<string, string>> = {
  'voxcpm-0.5b': 'openbmb/VoxCPM-0.5B',
  'voxcpm-1.5': 'openbmb/VoxCPM1.5',
  'voxcpm-2': 'openbmb/VoxCPM2',
};

export const defaultRevision = 'main';

/** The Hub's rule: letters, digits, `-`, `_` and `.`; neither `--` nor `..`; no `-` or `.` at either end. */
const part = /^(?!.*(?:--|\.\.))[A-Za-z0-9_](?:[\w.-]{0,94}[A-Za-z0-9_])?$/;
const revisionRule = /^(?!.*\.\.)[\w.-]+(?:\/[\w.-]+)*$/;

/**
 * Parses `voxcpm-2` or `organization/name`, optionally with `@revision`.
 *
 * @throws SvcError MODEL_NOT_FOUND if it is neither a known name nor a repository id
 */
export function parseModelName(text: string): ModelSource {
  const [name = '', revision = defaultRevision, ...rest] = text.split('@');
  const known = name.toLowerCase();
  const repository = (Object.hasOwn(knownModels, known) ? knownModels[known] : undefined) ?? name;
  const parts = repository.split('/');
  const isRepository = parts.length === 2 && parts.every((given) => part.test(given));
  if (isRepository && rest.length === 0 && revisionRule.test(revision)) return { repository, revision };
  const names = Object.keys(knownModels).join(', ');
  throw new SvcError(
    'MODEL_NOT_FOUND',
    `unknown model ${JSON.stringify(text)} (available: ${names}, or a Hugging Face repository such as organization/name)${didYouMean(known, Object.keys(knownModels))}`,
  );
}

/** The shortest name that `parseModelName` accepts. */
export function modelName({ repository, revision }: ModelSource): string {
  const known = Object.keys(knownModels).find((name) => knownModels[name] === repository) ?? repository;
  return revision === defaultRevision ? known : `${known}@${revision}`;
}
