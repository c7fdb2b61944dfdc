/** Keeps what is finished of a book or a long text, until all is. Its manifest states what the audio depends on. */
import { createHash } from 'node:crypto';
import { chmod, lstat, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { randomSeed } from '../../engine/noise.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { followLinks, makeFolder, replaceWhole } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { findPackage } from '../../package/package-root.ts';
import type { Io } from '../io.ts';
import { withExclusive } from '../output/exclusive.ts';
import { printNote } from '../output/messages.ts';
import { onDisk } from '../output/on-disk.ts';

const manifestName = 'manifest';

const manifestSchema = z.object({
  hash: z.string(),
  seed: z.int().min(0).max(0xffff_ffff),
  svc: z.string().max(100).optional(),
});
/** Name in the work folder of a file that isn't complete. */
export const partialOutput = 'output.tmp';
const ownName = /^(?:manifest|voice|takes|part-\d+|chapter-\d+(?:-section-\d+)?)\.(?:json|pcm|f32)$/;
/** Recognizes files that a killed run left. */
const isPartial = (name: string): boolean =>
  name.replace(/^\.(.+)\.[\da-f]{12}\.tmp$/, '$1') === partialOutput ||
  (/\.[\da-f]{12}\.tmp$/.test(name) && ownName.test(name.replace(/^\./, '').replace(/\.[\da-f]{12}\.tmp$/, '')));
const isOwn = (name: string): boolean => ownName.test(name) || isPartial(name);

export type WorkFolder = Awaited<ReturnType<typeof openWorkFolder>>;

/** Opens or creates the folder; needs the lock of the output. @throws SvcError CONFLICT for another run, IO */
export async function openWorkFolder(folder: string, hash: string, what: 'book' | 'text') {
  const { version: svc } = findPackage();
  const path = (name: string): string => join(folder, name);
  const file = (name: string): string => path(`${name}.json`);

  async function read<Value>(name: string, schema: z.ZodType<Value>): Promise<Value | undefined> {
    try {
      return schema.safeParse(JSON.parse(await readFile(file(name), 'utf8'))).data;
    } catch {
      // Missing, or cut by a power failure.
      return undefined;
    }
  }
  const keep = (name: string, value: unknown): Promise<void> =>
    onDisk(file(name), () => replaceWhole(file(name), (partial) => writeFile(partial, JSON.stringify(value))));

  const removeFiles = async (names: readonly string[]): Promise<void> => {
    await Promise.all(names.map((name) => rm(path(name), { force: true })));
  };
  const removeOwn = async (): Promise<void> => {
    await removeFiles((await readdir(folder)).filter(isOwn));
    // Only if nothing else is in it.
    await rmdir(folder).catch(() => undefined);
  };

  if ((await lstat(folder).catch(() => undefined))?.isSymbolicLink())
    throw new SvcError('CONFLICT', `${quote(folder)} is a symbolic link; remove it, or choose another output`);
  await makeFolder(folder);
  const entries = await readdir(folder, { withFileTypes: true });
  const strange = new SvcError(
    'CONFLICT',
    `${quote(folder)} is not a folder of svc; move it away, or choose another output`,
  );
  // Nothing is read or written through a link.
  if (entries.some((entry) => isOwn(entry.name) && !entry.isFile())) throw strange;
  const earlier = await read(manifestName, manifestSchema);
  if (earlier !== undefined && earlier.hash !== hash) {
    const other = earlier.svc === undefined || earlier.svc === svc ? '' : ` with svc ${quote(earlier.svc)}`;
    throw new SvcError(
      'CONFLICT',
      `${quote(folder)} has an unfinished run, made from another ${what} or with another voice, model, options or version of ` +
        `svc; run that command again${other} to finish it, or delete the folder to start over`,
    );
  }
  const names = entries.map(({ name }) => name);
  if (earlier === undefined && !names.every(isPartial)) throw strange;
  await removeFiles(names.filter(isPartial));
  return {
    isResumed: earlier !== undefined,
    path,
    /** The value kept under a name; undefined if nothing was, or nothing that fits the schema. */
    read,
    keep,
    /** The seed of the run: that of the earlier run, else this one or a random one, which is kept. */
    async seed(requested: number | undefined): Promise<number> {
      if (earlier !== undefined) return earlier.seed;
      const seed = requested ?? randomSeed();
      const about =
        'finished parts of speech; svc resumes with them, and removes this folder when the output is complete';
      await keep(manifestName, { about, svc, hash, seed });
      return seed;
    },
    /** Writes other files of the folder. @throws SvcError IO */
    write: (work: () => Promise<void>): Promise<void> => onDisk(folder, work),
    remove: (names: readonly string[]): Promise<void> => onDisk(folder, () => removeFiles(names)),
    /** Removes those of its files that fit. */
    removeAll: (fits: (name: string) => boolean): Promise<void> =>
      onDisk(folder, async () => removeFiles((await readdir(folder)).filter((name) => isOwn(name) && fits(name)))),
    /** Removes what svc has written, and the folder if nothing else is in it. */
    discard: (): Promise<void> => onDisk(folder, removeOwn),
    /** Removes the folder if nothing but its manifest is in it. @returns whether anything is left */
    async discardIfEmpty(): Promise<boolean> {
      const entries = await readdir(folder).catch(() => []);
      const isEmpty = entries.every((name) => name === `${manifestName}.json` || isPartial(name));
      // It may be gone already.
      if (isEmpty) await removeOwn().catch(() => undefined);
      return !isEmpty;
    },
  };
}

/** Equal for the same text: another version of svc may read or cut the same input otherwise. */
export const textPrint = (text: unknown): string =>
  createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 16);

/** Bytes of a file; undefined if it is missing. */
export const fileSize = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.size;

/** Moves a finished file of the folder to its place; a link there stays, and its target is replaced. @throws SvcError IO */
export const moveInPlace = (partial: string, path: string): Promise<void> =>
  onDisk(path, async () => {
    const target = await followLinks(path);
    const existing = await stat(target).catch(() => undefined);
    if (existing?.isFile()) await chmod(partial, existing.mode & 0o7777);
    await rename(partial, target);
  });

export interface Resumable {
  readonly workFolder: string;
  /** Kind of the input, for messages. */
  readonly what: 'book' | 'text';
  /** Path of the output, for messages. */
  readonly output: string;
  /** Hash of everything that the audio depends on. */
  readonly hash: string;
  readonly quiet: boolean | undefined;
}

/** `task` discards the folder when the output is complete; after a failure, what is finished stays there. */
export async function withWorkFolder(
  { what, workFolder, output, hash, quiet }: Resumable,
  io: Io,
  task: (work: WorkFolder, io: Io) => Promise<void>,
): Promise<void> {
  const note = (message: string): void => void (quiet || printNote(message, io));
  await withExclusive(resolve(workFolder), quote(output), { signal: io.signal, note }, async (signal) => {
    const work = await openWorkFolder(workFolder, hash, what);
    try {
      await task(work, { ...io, signal });
    } catch (error) {
      const { code, message } = toSvcError(error);
      if (!(await work.discardIfEmpty())) throw error;
      throw new SvcError(code, `${message}; run the same command again to resume`, { cause: error });
    }
  });
}
