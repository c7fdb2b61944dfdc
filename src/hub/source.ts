/** Names of downloadable models: short names and repositories of a hub. */
import { didYouMean } from '../did-you-mean.ts';
import { SvcError } from '../errors.ts';
import { defaultHub, type Hub, type HubName, hubNames, hubs } from './hubs.ts';

/** A repository of a hub at a branch, tag or commit. */
export interface ModelSource {
  readonly hub: HubName;
  /** `organization/name`. */
  readonly repository: string;
  readonly revision: string;
}

/** The published checkpoints by short name, which are the same on every hub. */
export const knownModels: Hub['knownModels'] = hubs[defaultHub].knownModels;

/** The rule of Hugging Face: letters, digits, `-`, `_` and `.`; neither `--` nor `..`; no `-` or `.` at either end. */
const part = /^(?!.*(?:--|\.\.))[A-Za-z0-9_](?:[\w.-]{0,94}[A-Za-z0-9_])?$/;
const revisionRule = /^(?!.*\.\.)[\w.-]+(?:\/[\w.-]+)*$/;

/**
 * Parses `voxcpm-2` or `organization/name`, optionally with `@revision` at the end and the name of a hub in front, such as
 * `modelscope:voxcpm-2`.
 *
 * @param otherwise the hub of a name that states none
 * @throws SvcError MODEL_NOT_FOUND if it is neither a known name nor a repository id
 */
export function parseModelName(text: string, otherwise: HubName = defaultHub): ModelSource {
  const hub = hubNames.find((prefix) => text.startsWith(`${prefix}:`));
  const { defaultRevision, knownModels: known }: Hub = hubs[hub ?? otherwise];
  const [name = '', revision = defaultRevision, ...rest] = text
    .slice(hub === undefined ? 0 : hub.length + 1)
    .split('@');
  const short = name.toLowerCase();
  const repository = (Object.hasOwn(known, short) ? known[short] : undefined) ?? name;
  const parts = repository.split('/');
  const isRepository = parts.length === 2 && parts.every((given) => part.test(given));
  if (isRepository && rest.length === 0 && revisionRule.test(revision))
    return { hub: hub ?? otherwise, repository, revision };
  const names = Object.keys(known).join(', ');
  throw new SvcError(
    'MODEL_NOT_FOUND',
    `unknown model ${JSON.stringify(text)} (available: ${names}, or a repository of --hub such as organization/name)${didYouMean(short, Object.keys(known))}`,
  );
}

/** The shortest name that `parseModelName` accepts. */
export function modelName({ hub, repository, revision }: ModelSource): string {
  const { defaultRevision, knownModels: known }: Hub = hubs[hub];
  const short = Object.keys(known).find((name) => known[name] === repository) ?? repository;
  const prefix = hub === defaultHub ? '' : `${hub}:`;
  return `${prefix}${short}${revision === defaultRevision ? '' : `@${revision}`}`;
}
