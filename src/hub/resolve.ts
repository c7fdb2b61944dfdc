/** Resolves the name of a model to the path of a `.gguf` file or ONNX folder in the cache; downloads and converts it if necessary. */
import { dirname, join } from 'node:path';
import { SvcError } from '../errors.ts';
import { diskFull, makeFolder, requireSpace } from '../files/file-system.ts';
import { quote } from '../messages.ts';
import {
  convertedPath,
  downloadedPath,
  downloadFolder,
  fileSize,
  forgetListing,
  isBelowListing,
  isDownloaded,
  lockPath,
  readListing,
  removeLeftovers,
  storeListing,
} from './cache.ts';
import { downloadFile, isWrongContent, partPath } from './download.ts';
import { listRepository } from './hub.ts';
import { createHubRequest, type HubConnection } from './hub-request.ts';
import type { RepositoryFile, RepositoryListing } from './listing.ts';
import { withLock } from './lock.ts';
import { modelscopeFileUrl } from './modelscope.ts';
import type { Patience } from './retry.ts';
import { type Selection, selectFiles } from './select-files.ts';
import { type ModelSource, modelName } from './source.ts';

export const defaultType = 'q8_0';

export interface Conversion {
  /** Folder of the checkpoint. */
  readonly checkpoint: string;
  /** The file to write; it has a temporary name (`<output>.*.tmp`) until complete. */
  readonly output: string;
  readonly type: string;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** The exporter, injected because it is above this layer. */
export interface Converter {
  /** Maximum size of the output in bytes. */
  readonly estimate: (checkpointBytes: number, type: string) => number;
  readonly convert: (conversion: Conversion) => Promise<void>;
}

export type ResolveEvent =
  /** Waiting for another process that prepares the same model. */
  | { readonly kind: 'wait' }
  /** Bytes. */
  | { readonly kind: 'download' | 'convert'; readonly done: number; readonly total: number };

export interface ModelRequest {
  readonly source: ModelSource;
  /** Weight type of a checkpoint's matrices. Default: `q8_0`. */
  readonly type?: string | undefined;
  /** A `.gguf` file or ONNX folder of the repository, instead of its checkpoint. */
  readonly file?: string | undefined;
  /** Folder of a LoRA adapter in the repository, instead of a model; empty for the top. */
  readonly adapter?: string | undefined;
  readonly cacheFolder: string;
  readonly hub: HubConnection;
  /** `offline`: makes no requests. */
  readonly network: 'online' | 'offline';
  readonly converter: Converter;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: ResolveEvent) => void) | undefined;
  readonly patience?: Patience | undefined;
  /** Returns the free bytes on the disk of a folder. */
  readonly measureSpace?: ((folder: string) => Promise<number>) | undefined;
}

/** The path of a cached model, or of the weights of an adapter, without requests or changes; undefined if it is not cached. */
export async function findModel(request: ModelRequest): Promise<string | undefined> {
  const { source, cacheFolder, file, adapter, type = defaultType } = request;
  const converted = convertedPath(cacheFolder, source, type);
  const isConverted = file === undefined && adapter === undefined;
  if (isConverted && (await fileSize(converted)) !== undefined) return converted;
  const listing = await readListing(cacheFolder, source);
  if (listing === undefined) return undefined;
  const selection = selectFiles(listing, request);
  if (selection.kind === 'checkpoint') return undefined;
  const present = await Promise.all(selection.files.map((model) => isDownloaded(cacheFolder, source, model)));
  return present.includes(false) ? undefined : selectedPath(cacheFolder, source, selection);
}

/** The path of a model that needs no conversion. */
const selectedPath = (
  cacheFolder: string,
  source: ModelSource,
  selection: Exclude<Selection, { readonly kind: 'checkpoint' }>,
): string =>
  selection.kind === 'onnx'
    ? join(downloadFolder(cacheFolder, source), ...selection.folder.split('/'))
    : downloadedPath(cacheFolder, source, selection.files[0]);

/**
 * Resolves a model. A cached model needs no network, and nothing in the cache is downloaded or converted again.
 * Concurrent processes do the work once.
 *
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, INVALID_REQUEST, UNAUTHORIZED, FORBIDDEN, NETWORK, IO, CONFLICT,
 *   CANCELLED. Partial downloads are kept and resumed by the next call.
 */
export async function resolveModel(request: ModelRequest): Promise<string> {
  const cached = await findModel(request);
  if (cached !== undefined) return cached;
  const { cacheFolder, source, signal, onEvent } = request;
  // Before the lock, which would create a folder.
  if (request.network === 'offline' && (await readListing(cacheFolder, source)) === undefined) throw isOffline(request);
  const options = { signal, busy: 'wait', onWait: () => onEvent?.({ kind: 'wait' }) } as const;
  return withLock(lockPath(cacheFolder, source), options, async (held) => {
    // Another process may have finished in the meantime.
    return (await findModel(request)) ?? makeModel({ ...request, signal: held, hub: { ...request.hub, signal: held } });
  });
}

type HeldRequest = ModelRequest & { readonly signal: AbortSignal };

async function makeModel(request: HeldRequest): Promise<string> {
  const { cacheFolder, source, file, adapter, converter, measureSpace, signal, type = defaultType } = request;
  const listing = (await readListing(cacheFolder, source)) ?? (await fetchListing(request));
  const selection = selectFiles(listing, { file, adapter, type: request.type });
  const folder = downloadFolder(cacheFolder, source);
  const missing = await missingFiles(selection.files, request);
  if (missing.length > 0 && request.network === 'offline') throw isOffline(request);
  const size = selection.files.reduce((sum, { size: bytes }) => sum + bytes, 0);
  const isCheckpoint = selection.kind === 'checkpoint';
  const toWrite = missing.reduce((sum, { remaining }) => sum + remaining, 0);
  const toConvert = isCheckpoint ? converter.estimate(size, type) : 0;
  await makeFolder(cacheFolder);
  await requireSpace(cacheFolder, toWrite + toConvert, subjectOf(request), measureSpace);
  try {
    await downloadAll(missing, size, listing, request);
  } catch (error) {
    // A branch without a commit may have moved since it was listed.
    if (listing.commit === undefined && isWrongContent(error)) await forgetListing(cacheFolder, source);
    throw error;
  }
  if (selection.kind !== 'checkpoint') return selectedPath(cacheFolder, source, selection);
  const output = convertedPath(cacheFolder, source, type);
  await makeFolder(dirname(output));
  await removeLeftovers(output);
  const onProgress = (done: number, total: number) => request.onEvent?.({ kind: 'convert', done, total });
  try {
    await converter.convert({ checkpoint: folder, output, type, signal, onProgress });
  } catch (error) {
    throw diskFull(error, dirname(output), `the conversion of model ${modelName(source)}`);
  }
  return output;
}

const subjectOf = ({ source, adapter }: Pick<ModelRequest, 'source' | 'adapter'>): string =>
  `${adapter === undefined ? 'model' : 'LoRA adapter'} ${modelName(source)}`;

function isOffline(request: ModelRequest): SvcError {
  return new SvcError(
    'MODEL_NOT_FOUND',
    `${subjectOf(request)} is not in ${request.cacheFolder} and HF_HUB_OFFLINE is set; ` +
      `unset it to download the ${request.adapter === undefined ? 'model' : 'adapter'}`,
  );
}

async function fetchListing(request: HeldRequest): Promise<RepositoryListing> {
  if (request.network === 'offline') throw isOffline(request);
  const listing = await listRepository(request.source, request.hub, request.patience, subjectOf(request));
  const obstructed = listing.files.find(isBelowListing);
  if (obstructed !== undefined) {
    throw new SvcError(
      'MODEL_INVALID',
      `model ${modelName(request.source)} cannot be cached: its folder ${quote(obstructed.path.slice(0, 12))} has the name of the cached file list; download its files yourself and give their path`,
    );
  }
  // Fails before anything is stored if no choice is possible.
  selectFiles(listing, request);
  await storeListing(request.cacheFolder, listing);
  return listing;
}

interface MissingFile {
  readonly file: RepositoryFile;
  /** Bytes not downloaded yet. */
  readonly remaining: number;
}

async function missingFiles(files: readonly RepositoryFile[], request: ModelRequest): Promise<readonly MissingFile[]> {
  const { cacheFolder, source } = request;
  const missing: MissingFile[] = [];
  for (const file of files) {
    if (await isDownloaded(cacheFolder, source, file)) continue;
    const part = await fileSize(partPath(downloadedPath(cacheFolder, source, file), file.hash));
    missing.push({ file, remaining: Math.max(0, file.size - (part ?? 0)) });
  }
  return missing;
}

/** @param total bytes of all files of the model, including those already downloaded */
async function downloadAll(
  missing: readonly MissingFile[],
  total: number,
  { repository, commit }: RepositoryListing,
  downloading: HeldRequest,
): Promise<void> {
  const { cacheFolder, source, hub, signal, patience, onEvent } = downloading;
  const request = createHubRequest(hub);
  let before = total - missing.reduce((sum, { file }) => sum + file.size, 0);
  for (const { file } of missing) {
    signal.throwIfAborted();
    const address = file.path.split('/').map(encodeURIComponent).join('/');
    const start = before;
    await downloadFile({
      url:
        hub.hub === 'modelscope'
          ? modelscopeFileUrl(hub.endpoint, source, file.path)
          : `${hub.endpoint}/${repository}/resolve/${commit}/${address}`,
      hub: hub.hub,
      path: downloadedPath(cacheFolder, source, file),
      subject: `${file.path} of ${subjectOf(downloading)}`,
      size: file.size,
      hash: file.hash,
      request,
      signal,
      patience,
      onProgress: (received) => onEvent?.({ kind: 'download', done: start + received, total }),
    });
    before += file.size;
  }
}
