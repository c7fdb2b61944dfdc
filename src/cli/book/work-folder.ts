/**
 * The folder that keeps what is finished of a book, until the book is. Its manifest states what the audio depends on, so
 * that a run with other options doesn't add to it.
 */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomSeed } from '../../engine/noise.ts';
import { SvcError } from '../../errors.ts';
import { makeFolder, reasonOf, replaceWhole } from '../../files.ts';
import { quote } from '../../validation.ts';

const manifestName = 'manifest';

interface Manifest {
  readonly about: string;
  readonly hash: string;
  readonly seed: number;
}

export interface WorkFolder {
  /** Whether an earlier run has left its work. */
  readonly isResumed: boolean;
  /** Path of a file in the folder. */
  path(name: string): string;
  /** The seed of the book: that of the earlier run, else this one or a random one, which is kept. */
  seed(requested: number | undefined): Promise<number>;
  /** What was kept under a name; undefined if nothing was. */
  read<Value>(name: string): Promise<Value | undefined>;
  keep(name: string, value: unknown): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
  /** Removes the folder. */
  discard(): Promise<void>;
  /** Removes the folder if nothing but its manifest is in it. @returns whether anything is left */
  discardIfEmpty(): Promise<boolean>;
}

/**
 * Opens or creates the folder. Needs the lock of the output.
 *
 * @param hash of everything that the audio depends on
 * @throws SvcError CONFLICT if the folder is of a run with another hash, or of somebody else, IO
 */
export async function openWorkFolder(folder: string, hash: string): Promise<WorkFolder> {
  const path = (name: string): string => join(folder, name);
  const file = (name: string): string => path(`${name}.json`);

  async function read<Value>(name: string): Promise<Value | undefined> {
    try {
      return JSON.parse(await readFile(file(name), 'utf8')) as Value;
    } catch {
      // Missing, or cut by a power failure.
      return undefined;
    }
  }
  const keep = (name: string, value: unknown): Promise<void> =>
    onDisk(file(name), () => replaceWhole(file(name), (partial) => writeFile(partial, JSON.stringify(value))));

  const earlier = await read<Manifest>(manifestName);
  if (earlier !== undefined && earlier.hash !== hash) {
    throw new SvcError(
      'CONFLICT',
      `${quote(folder)} is of a run with another book, voice, model or options: repeat that command to finish it, ` +
        'or delete the folder to start again',
    );
  }
  await makeFolder(folder);
  const entries = await readdir(folder);
  // The folder will be removed.
  if (earlier === undefined && !entries.every(isPartial))
    throw new SvcError('CONFLICT', `${quote(folder)} is not a folder of svc; move it away, or choose another output`);
  // Of a killed run.
  await Promise.all(entries.filter(isPartial).map((name) => rm(path(name), { force: true })));
  return {
    isResumed: earlier !== undefined,
    path,
    read,
    keep,
    async seed(requested) {
      if (earlier !== undefined) return earlier.seed;
      const seed = requested ?? randomSeed();
      const about =
        'finished parts of a book; svc resumes with them, and removes this folder when the book is complete';
      await keep(manifestName, { about, hash, seed });
      return seed;
    },
    remove: (names) =>
      onDisk(folder, async () => void (await Promise.all(names.map((name) => rm(path(name), { force: true }))))),
    discard: () => onDisk(folder, () => rm(folder, { recursive: true, force: true })),
    async discardIfEmpty() {
      const entries = await readdir(folder).catch(() => []);
      const isEmpty = entries.every((name) => name === `${manifestName}.json` || isPartial(name));
      if (isEmpty) await rm(folder, { recursive: true, force: true });
      return !isEmpty;
    },
  };
}

const isPartial = (name: string): boolean => name.endsWith('.tmp');

/** Bytes of a file; undefined if it is missing. */
export const fileSize = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.size;

async function onDisk<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new SvcError('IO', `cannot write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}
