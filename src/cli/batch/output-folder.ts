/** The folder that a batch writes to: one batch at a time, and nothing half-written. */
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { audioFormatNames, audioFormats } from '../../audio/format.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { makeFolder } from '../../files.ts';
import { followSignal } from '../../follow-signal.ts';
import { withLock } from '../../hub/lock.ts';
import { invalidOption } from '../options/options.ts';
import { manifestName } from './manifest.ts';

/**
 * Checked before a model is loaded; made only when something is written.
 *
 * @throws SvcError INVALID_REQUEST
 */
export async function checkFolder(path: string | undefined): Promise<string> {
  if (!path) throw invalidOption('a folder', '--output-dir', 'none');
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) throw invalidOption('a folder', '--output-dir', `the file ${path}`);
  return resolve(path);
}

/** Longer than the lock of a run that was killed is held for alive. */
const waitMilliseconds = 15_000;

/**
 * Runs `task` while no other batch writes to the folder. When it fails, folders that were made for it and are empty go.
 *
 * @param task gets a signal that also fires when the folder is another process's now
 * @throws SvcError CONFLICT when another one does; IO when the folder can't be made
 */
export async function withFolder(
  folder: string,
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const made = await makeFolder(folder);
  const lifetime = followSignal(signal);
  const refuse = (): void =>
    lifetime.end(new SvcError('CONFLICT', `expected no other run at work in ${folder}, received one`));
  let patience: NodeJS.Timeout | undefined;
  const lock = {
    busy: 'wait',
    signal: lifetime.signal,
    onWait: () => {
      patience = setTimeout(refuse, waitMilliseconds);
    },
  } as const;
  try {
    await withLock(join(folder, manifestName), lock, async (locked) => {
      clearTimeout(patience);
      await removeLeftovers(folder);
      await task(locked);
    });
  } catch (error) {
    if (made !== undefined) await removeEmpty(folder, made);
    // A wait that was cut short says no more than that.
    const { reason } = lifetime.signal;
    throw reason instanceof SvcError && toSvcError(error).code === 'CANCELLED' ? reason : error;
  } finally {
    clearTimeout(patience);
    lifetime.detach();
  }
}

/** The folder and those above it up to `top`, as long as nothing is in them. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  try {
    await rmdir(folder);
    if (folder !== top) await removeEmpty(dirname(folder), top);
  } catch {
    // Something is in it, or another process was faster.
  }
}

const extensions = audioFormatNames.map((name) => audioFormats[name].extension.slice(1)).join('|');
/** Temporary names of `createFileSink`. */
const leftover = new RegExp(`^\\..+\\.(${extensions})\\.[0-9a-f]{12}\\.tmp$`);

/** Of a run that was killed. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (leftover.test(name)) await rm(join(folder, name), { force: true });
  }
}
