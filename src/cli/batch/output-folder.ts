/** The output folder of a batch: one run at a time, and no partial files. */
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { audioFormatNames, audioFormats } from '../../audio/format.ts';
import { captionFormats } from '../../captions/captions.ts';
import { makeFolder } from '../../files.ts';
import { invalid, quote, requestError } from '../../validation.ts';
import { withExclusive } from '../output/exclusive.ts';
import { manifestName } from './manifest.ts';

/**
 * Checks the folder before a model is loaded, without creating it.
 *
 * @throws SvcError INVALID_REQUEST
 */
export async function checkFolder(path: string | undefined): Promise<string> {
  if (!path) throw requestError('--output-dir is required: name a folder');
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) throw invalid('a folder', '--output-dir', `the file ${quote(path)}`);
  return resolve(path);
}

/**
 * Runs `task` while no other batch writes to the folder. After a failure, new folders that are empty are removed.
 *
 * @param task gets a signal that also fires when another process has taken over the folder
 * @throws SvcError CONFLICT when another batch keeps the folder, IO when it can't be created
 */
export async function withFolder(
  folder: string,
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const made = await makeFolder(folder);
  try {
    await withExclusive(join(folder, manifestName), folder, signal, async (locked) => {
      await removeLeftovers(folder);
      await task(locked);
    });
  } catch (error) {
    if (made !== undefined) await removeEmpty(folder, made);
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

/** Removes temporary files of a killed run. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (leftover.test(name)) await rm(join(folder, name), { force: true });
  }
}
