/** Files and folders: what the system's errors mean, room on disks, and writing that leaves a whole file or none. */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf, SvcError } from './errors.ts';

/** Bytes that are free for this user on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Room that stays: a disk filled to its last byte breaks more than a download. */
const reserve = 16 * 1024 * 1024;

/**
 * @param bytes that are going to be written to `folder`
 * @throws SvcError IO when there is less room than that
 */
export async function requireSpace(
  folder: string,
  bytes: number,
  what: string,
  measure: (folder: string) => Promise<number> = freeBytes,
): Promise<void> {
  if (bytes === 0) return;
  const free = await measure(folder);
  if (free >= bytes + reserve) return;
  throw new SvcError(
    'IO',
    `expected ${Math.ceil((bytes + reserve) / 1e6)} MB free in ${folder} for ${what}, ` +
      `received ${Math.floor(free / 1e6)} MB: ` +
      'free some or set SVC_CACHE_DIR to a folder on another disk',
  );
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
  ENAMETOOLONG: 'a name that is too long',
  ENOSPC: 'a full disk',
  EDQUOT: 'a full disk',
};

/** Why a file could not be opened, read or written. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}

/** A write that met the end of the disk all the same, as an error of ours; any other error as it is. */
export function diskFull(error: unknown, folder: string, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new SvcError('IO', `expected room in ${folder} for ${what}, received a full disk (${code})`, { cause: error });
}

/**
 * A file or folder that is made under a temporary name beside `path` and renamed when it is complete; whatever fails, `path`
 * stays as it was and nothing else is left.
 */
export async function replaceWhole<Result>(
  path: string,
  make: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const result = await make(temporary);
    await rename(temporary, path);
    return result;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Makes a folder and those above it. Node's own recursive `mkdir` never ends where the system says of a name in a folder that is
 * there that it can't be found, as Linux does below `/proc`.
 *
 * @param mode of the folders that are made
 * @returns the first folder that was made; undefined when all were there
 * @throws SvcError IO
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeAll(resolve(path), mode);
  } catch (cause) {
    throw new SvcError('IO', `expected to make the folder ${path}, received ${messageOf(cause)}`, { cause });
  }
}

async function makeAll(folder: string, mode: number): Promise<string | undefined> {
  try {
    return await makeOne(folder, mode);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    const first = await makeAll(parent, mode);
    // Once more and not again; another process may have made the parent or this one meanwhile.
    const last = await makeOne(folder, mode);
    return first ?? last;
  }
}

async function makeOne(folder: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(folder, { mode });
    return folder;
  } catch (error) {
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory()) return undefined;
    throw error;
  }
}

function kindOf(found: Stats): string {
  if (found.isFIFO()) return 'a named pipe';
  if (found.isDirectory()) return 'a folder';
  return found.isSocket() ? 'a socket' : 'a device';
}

/**
 * Refuses what has a path but is no file: opening a named pipe waits for its writer in a thread that nothing can interrupt, and a
 * device may have no end. What is not there is left to whoever opens it.
 *
 * @param refuse makes the error from what was found, such as "a named pipe"
 * @example await refuseIrregular(path, (kind) => new SvcError('IO', `expected a file for the store, received ${kind}: ${path}`));
 */
export async function refuseIrregular(path: string, refuse: (kind: string) => Error): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw refuse(kindOf(found));
}

/** Where the system lists what a process has open: pipes of `<(…)` and of standard input, each with a writer. */
const descriptors = /^\/(dev|proc)\//;

/** Refuses a named pipe alone, for what may be read once from the beginning, unless a shell has made it. */
export async function refuseNamedPipe(path: string, refuse: () => Error): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFIFO() && !descriptors.test(resolve(path))) throw refuse();
}
