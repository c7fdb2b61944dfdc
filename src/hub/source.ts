/** Names of downloadable models: short names and repositories of a hub. */
import { SvcError } from '../errors.ts';
import { didYouMean, quote } from '../messages.ts';
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
 * `modelscope:voxcpm-2`; or the address of a repository's page.
 *
 * @param otherwise the model hub of a name that states none
 * @throws SvcError MODEL_NOT_FOUND if it is neither a known name nor a repository id
 */
export function parseModelName(text: string, otherwise: HubName = defaultHub): ModelSource {
  if (isAddress(text)) return parseModelAddress(text);
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
    `unknown model ${quote(text)} (available: ${names}, or a repository of --hub such as organization/name)${didYouMean(short, Object.keys(known))}`,
  );
}

/** Whether a text is an address, and can be no name. */
export const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

export interface SourceAtPath {
  readonly source: ModelSource;
  /** A file or folder in the repository; empty for the repository itself. */
  readonly path: string;
}

/** Pages of a repository that are followed by a revision, and then perhaps by a path. */
const revisionPages = ['tree', 'blob', 'resolve', 'files'];
/** Pages of a hub that look like those of a repository. */
const otherPages = ['api', 'collections', 'datasets', 'docs', 'organization', 'papers', 'spaces'];

/** Parses the address of a repository's page, or of a page of its files. @throws SvcError MODEL_NOT_FOUND */
export function parseAddress(text: string): SourceAtPath {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.hostname.replace(/^www\./, '') ?? '';
  const hub = hubNames.find((name) => (hubs[name].hosts as readonly string[]).includes(host));
  const steps = (url?.pathname ?? '').split('/').filter((step) => step !== '');
  const [organization = '', name = '', page, revision, ...rest] = steps[0] === 'models' ? steps.slice(1) : steps;
  const isRepository = part.test(organization) && part.test(name) && !otherPages.includes(organization);
  if (hub !== undefined && isRepository && (page === undefined || revisionPages.includes(page))) {
    const at = revision === undefined ? '' : `@${revision}`;
    return { source: parseModelName(`${hub}:${organization}/${name}${at}`), path: rest.join('/') };
  }
  const known = hubNames.map((each) => hubs[each].hosts[0]).join(' or ');
  throw new SvcError(
    'MODEL_NOT_FOUND',
    `${JSON.stringify(text)} is not the address of a model: give that of its page at ${known}, or its name, such as organization/name`,
  );
}

function parseModelAddress(text: string): ModelSource {
  const { source, path } = parseAddress(text);
  if (path === '') return source;
  throw new SvcError(
    'MODEL_NOT_FOUND',
    `${JSON.stringify(text)} is the address of a file in a repository: name both with ${modelName(source)} --file ${path}`,
  );
}

/** The shortest name that `parseModelName` accepts. */
export function modelName({ hub, repository, revision }: ModelSource): string {
  const { defaultRevision, knownModels: known }: Hub = hubs[hub];
  const short = Object.keys(known).find((name) => known[name] === repository) ?? repository;
  const prefix = hub === defaultHub ? '' : `${hub}:`;
  return `${prefix}${short}${revision === defaultRevision ? '' : `@${revision}`}`;
}
