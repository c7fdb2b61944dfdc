/** Where the files of a batch go: a folder, or a bucket. One run at a time, and no partial files. */
import { createHash } from 'node:crypto';
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { audioFormatNames, audioFormats } from '../../audio/encode/format.ts';
import { captionFormats } from '../../captions/captions.ts';
import { makeFolder } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { createObjectStore, isObjectUrl, type ObjectStore, parseFolderUrl } from '../../speech-files/object-store.ts';
import { invalid, requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { modelEnvironment } from '../model/model-environment.ts';
import { type Waiting, withExclusive } from '../output/exclusive.ts';

export const manifestName = 'manifest.jsonl';

export interface OutputTarget {
  /** Path of a folder, or an address such as `s3://bucket/prefix`. */
  readonly name: string;
  /** Path of the manifest, which is always a local file. */
  readonly manifest: string;
  readonly objects: ObjectStore;
  /** Path or address of a file. */
  pathOf(file: string): string;
  /** Size of a complete file in bytes; undefined if there is none. */
  sizeOf(file: string): Promise<number | undefined>;
}

/** Checks the options before a model is loaded, without creating anything. @throws SvcError INVALID_REQUEST */
export async function resolveOutputTarget(
  { outputDir, manifest }: { readonly outputDir?: string; readonly manifest?: string },
  io: Io,
): Promise<OutputTarget> {
  if (!outputDir) throw requestError('--output-dir is required: name a folder, or a bucket such as s3://bucket/prefix');
  if (manifest === '') throw requestError('--manifest is empty: name a file');
  const objects = createObjectStore(io.environment);
  if (isObjectUrl(outputDir)) {
    const name = parseFolderUrl(outputDir, '--output-dir');
    const pathOf = (file: string): string => `${name}/${file}`;
    const sizeOf = (file: string): Promise<number | undefined> => objects.size(pathOf(file));
    return { name, manifest: resolve(manifest ?? workingCopy(name, io)), objects, pathOf, sizeOf };
  }
  const name = await checkFolder(outputDir);
  return {
    name,
    manifest: manifest === undefined ? join(name, manifestName) : resolve(manifest),
    objects,
    pathOf: (file) => join(name, file),
    async sizeOf(file) {
      const found = await stat(join(name, file)).catch(() => undefined);
      return found?.isFile() ? found.size : undefined;
    },
  };
}

/** The manifest of a bucket on this machine: it has what a killed run had not uploaded. */
function workingCopy(name: string, io: Io): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return join(modelEnvironment(io).cacheFolder, 'batches', `${hash}.jsonl`);
}

async function checkFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) throw invalid('a folder', '--output-dir', `the file ${quote(path)}`);
  return resolve(path);
}

/**
 * Runs `task` while no other batch of this machine writes there. After a failure, new folders that are empty are removed.
 *
 * @param task gets a signal that also fires when another process has taken over the place
 * @throws SvcError CONFLICT when another batch keeps the place, IO when a folder can't be created
 */
export async function withLockedOutput(
  { name, manifest }: OutputTarget,
  waiting: Waiting,
  task: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const isLocal = !isObjectUrl(name);
  const folders = new Set([...(isLocal ? [name] : []), dirname(manifest)]);
  const made: [folder: string, top: string][] = [];
  for (const folder of folders) {
    const top = await makeFolder(folder);
    if (top !== undefined) made.push([folder, top]);
  }
  try {
    await withExclusive(isLocal ? join(name, manifestName) : manifest, name, waiting, async (locked) => {
      if (isLocal) await removeLeftovers(name);
      await task(locked);
    });
  } catch (error) {
    for (const [folder, top] of made) await removeEmpty(folder, top);
    throw error;
  }
}

/** Removes the folder and those above it up to `top`, as long as they are empty. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  try {
    await rmdir(folder);
    if (folder !== top) await removeEmpty(dirname(folder), top);
  } catch {
    // It is not empty, or another process was faster.
  }
}

const extensions = audioFormatNames.map((name) => audioFormats[name].extension.slice(1)).join('|');
/** Temporary names of `createFileSink` and `replaceWhole`. */
const leftover = new RegExp(`^(\\..+\\.(${extensions})|.+\\.(${captionFormats.join('|')}))\\.[0-9a-f]{12}\\.tmp$`);

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (leftover.test(name)) await rm(join(folder, name), { force: true });
  }
}
