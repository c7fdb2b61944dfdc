/** What users call a model that is not a file of theirs: a short name or a Hugging Face repository. */
import { didYouMean } from '../did-you-mean.ts';
import { SvcError } from '../errors.ts';

/** A repository of the hub at a branch, a tag or a commit. */
export interface ModelSource {
  /** `organisation/name`. */
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

/** The hub's own rule: letters, digits, `-`, `_` and `.`; neither `--` nor `..`; no `-` or `.` at either end. */
const part = /^(?!.*(?:--|\.\.))[A-Za-z0-9_](?:[\w.-]{0,94}[A-Za-z0-9_])?$/;
const revisionRule = /^(?!.*\.\.)[\w.-]+(?:\/[\w.-]+)*$/;

/**
 * The repository that `voxcpm-2`, `organisation/name` or either with `@revision` stands for.
 *
 * @throws SvcError MODEL_NOT_FOUND when it is neither a known name nor the id of a repository.
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
    `expected ${names} or a Hugging Face repository (organization/name) for the model, received ${JSON.stringify(text)}${didYouMean(known, Object.keys(knownModels))}`,
  );
}

/** The shortest name that `parseModelName` takes back. */
export function modelName({ repository, revision }: ModelSource): string {
  const known = Object.keys(knownModels).find((name) => knownModels[name] === repository) ?? repository;
  return revision === defaultRevision ? known : `${known}@${revision}`;
}
