import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { makeFolder, replaceWhole } from '../files/file-system.ts';
import { userFolder } from '../files/user-folders.ts';
import { defaultHub, type HubName, hubNames, hubs } from './hubs.ts';
import { type RepositoryFile, type RepositoryListing, repositoryListing } from './listing.ts';
import { checkpointFiles, isGguf, onnxFolders } from './select-files.ts';
import { type ModelSource, modelName, parseModelName } from './source.ts';

/** The cache folder of the user, such as `~/.cache/svc`. */
export const systemCacheFolder = (): string => userFolder('cache');

export interface CachedModel {
  /** Name for `--model`. */
  readonly name: string;
  readonly hub: HubName;
  readonly repository: string;
  readonly revision: string;
  /** `download`: files of the repository. `converted`: a `.gguf` file made from them. */
  readonly kind: 'download' | 'converted';
  /** Weight type of a converted model. */
  readonly type: string | undefined;
  readonly bytes: number;
  readonly path: string;
  /** Whether the download is complete. */
  readonly state: 'complete' | 'partial';
}

const listingName = 'listing.json';

/** Whether a file cannot be stored as the list is in its way, on disks that may ignore case. */
export const isBelowListing = ({ path }: RepositoryFile): boolean => path.toLowerCase().startsWith(`${listingName}/`);

/** Each hub has a folder of its own: repositories of the same name may differ. */
const rootOf = (cacheFolder: string, hub: HubName): string =>
  hub === defaultHub ? cacheFolder : join(cacheFolder, hub);

function stem({ hub, repository, revision }: ModelSource): string {
  const name = repository.replace('/', '--');
  return revision === hubs[hub].defaultRevision ? name : `${name}@${encodeURIComponent(revision)}`;
}

export const downloadFolder = (cacheFolder: string, source: ModelSource): string =>
  join(rootOf(cacheFolder, source.hub), 'hub', stem(source));

export const downloadedPath = (cacheFolder: string, source: ModelSource, { path }: RepositoryFile): string =>
  join(downloadFolder(cacheFolder, source), ...path.split('/'));

export const convertedPath = (cacheFolder: string, source: ModelSource, type: string): string =>
  join(rootOf(cacheFolder, source.hub), 'models', `${stem(source)}-${type}.gguf`);

export const lockPath = (cacheFolder: string, source: ModelSource): string =>
  join(rootOf(cacheFolder, source.hub), 'locks', stem(source));

/** Size of a regular file; undefined if there is none. */
export async function fileSize(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? found.size : undefined;
}

export const isDownloaded = async (cacheFolder: string, source: ModelSource, file: RepositoryFile): Promise<boolean> =>
  (await fileSize(downloadedPath(cacheFolder, source, file))) === file.size;

/** The cached file list of a repository; undefined if there is none or it is damaged. */
export async function readListing(cacheFolder: string, source: ModelSource): Promise<RepositoryListing | undefined> {
  try {
    const text = await readFile(join(downloadFolder(cacheFolder, source), listingName), 'utf8');
    const { data } = repositoryListing.safeParse(JSON.parse(text));
    return data?.repository === source.repository && data.revision === source.revision ? data : undefined;
  } catch {
    return undefined;
  }
}

export async function storeListing(cacheFolder: string, listing: RepositoryListing): Promise<void> {
  const folder = downloadFolder(cacheFolder, listing);
  await makeFolder(folder);
  const text = `${JSON.stringify(listing, null, 2)}\n`;
  await replaceWhole(join(folder, listingName), (temporary) => writeFile(temporary, text));
}

/** Has the next download ask for the list again. */
export const forgetListing = (cacheFolder: string, source: ModelSource): Promise<void> =>
  rm(join(downloadFolder(cacheFolder, source), listingName), { force: true });

/** Removes temporary files left by killed processes. */
export async function removeLeftovers(path: string): Promise<void> {
  for (const found of await names(dirname(path))) {
    if (!found.startsWith(`${basename(path)}.`) || !found.endsWith('.tmp')) continue;
    await rm(join(dirname(path), found), { force: true });
  }
}

/** All cached models, sorted by name. */
export async function listCache(cacheFolder: string): Promise<readonly CachedModel[]> {
  const models = (await Promise.all(hubNames.map((hub) => listHub(cacheFolder, hub)))).flat();
  return models.sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
}

async function listHub(cacheFolder: string, hub: HubName): Promise<readonly CachedModel[]> {
  const models: CachedModel[] = [];
  const root = rootOf(cacheFolder, hub);
  for (const name of await names(join(root, 'hub'))) {
    const source = parseStem(name, hub);
    if (source === undefined) continue;
    const path = join(root, 'hub', name);
    const bytes = (await filesBelow(path)).reduce((sum, file) => sum + file.size, 0);
    const state = await downloadState(cacheFolder, source);
    models.push({ ...source, name: modelName(source), kind: 'download', type: undefined, bytes, path, state });
  }
  for (const name of await names(join(root, 'models'))) {
    const [, prefix = '', type] = /^(.+)-(\w+)\.gguf$/.exec(name) ?? [];
    const source = parseStem(prefix, hub);
    const path = join(root, 'models', name);
    const bytes = await fileSize(path);
    if (source === undefined || bytes === undefined) continue;
    models.push({ ...source, name: modelName(source), kind: 'converted', type, bytes, path, state: 'complete' });
  }
  return models;
}

/** A checkpoint or ONNX folder needs all of its files; a repository of several models needs one. */
async function downloadState(cacheFolder: string, source: ModelSource): Promise<CachedModel['state']> {
  const { files = [] } = (await readListing(cacheFolder, source)) ?? {};
  const checkpoint = checkpointFiles(files);
  const gguf = files.filter(({ path }) => isGguf(path)).map((file) => [file]);
  const models = checkpoint ? [checkpoint] : [...gguf, ...onnxFolders(files).map((folder) => folder.files)];
  for (const model of models) {
    const present = await Promise.all(model.map((file) => isDownloaded(cacheFolder, source, file)));
    if (!present.includes(false)) return 'complete';
  }
  return 'partial';
}

/** @returns freed bytes; 0 if the model was not cached */
export async function removeCached(cacheFolder: string, source: ModelSource): Promise<number> {
  let freed = 0;
  for (const { path, bytes, name } of await listCache(cacheFolder)) {
    if (name !== modelName(source)) continue;
    await rm(path, { recursive: true, force: true });
    freed += bytes;
  }
  const folder = join(rootOf(cacheFolder, source.hub), 'models');
  const prefix = `${stem(source)}-`;
  for (const name of await names(folder)) {
    // Temporary files of killed conversions.
    const isLeftover = name.startsWith(prefix) && /^\w+\.gguf\.\w+\.tmp$/.test(name.slice(prefix.length));
    if (isLeftover) await rm(join(folder, name), { force: true });
  }
  return freed;
}

function parseStem(text: string, hub: HubName): ModelSource | undefined {
  const [, organization, name, revision = hubs[hub].defaultRevision] = /^([^@]+?)--([^@]+)(?:@(.+))?$/.exec(text) ?? [];
  // A foreign or temporary file.
  if (organization === undefined) return undefined;
  return attempt(() => parseModelName(`${organization}/${name}@${decodeURIComponent(revision)}`, hub));
}

const names = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort();

async function filesBelow(folder: string): Promise<readonly { readonly path: string; readonly size: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (path) => ({ path, size: (await fileSize(path)) ?? 0 })));
}
