/** Files and folders: atomic writes, disk space, and the meaning of system errors. */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, mkdir, open, readlink, realpath, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SvcError } from '../errors.ts';
import { besidePath } from './beside.ts';
import { noteTemporary } from './temporary-files.ts';

/** Bytes available to this user on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Space to leave free: a disk filled to the last byte breaks more than a download. */
const reserve = 16 * 1024 * 1024;

/**
 * Checks that `bytes` can be written to `folder`.
 *
 * @param setting sets the folder, for the message
 *
 * @throws SvcError IO if there is less free space
 */
export async function requireSpace(
  folder: string,
  bytes: number,
  what: string,
  measure: (folder: string) => Promise<number> = freeBytes,
  setting = 'SVC_CACHE_DIR',
): Promise<void> {
  if (bytes === 0) return;
  const free = await measure(folder);
  if (free >= bytes + reserve) return;
  throw new SvcError(
    'IO',
    `not enough space in ${folder} for ${what}: ${Math.ceil((bytes + reserve) / 1e6)} MB needed, ` +
      `${Math.floor(free / 1e6)} MB free; free some space or set ${setting} to a folder on another disk`,
  );
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENAMETOOLONG: 'the name is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
};

/** Why a file could not be opened, read or written; follows `cannot read PATH: `. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  // Other errors of the system: `EMFILE: too many open files, open '/x'`.
  return reasons[code ?? ''] ?? message.replace(/^E[A-Z0-9]+: (.+?), \w+(?: '.*)?$/s, '$1');
}

const folderReasons: Readonly<Record<string, string>> = {
  EEXIST: 'a file is in the way',
  ENOTDIR: 'a file is in the way',
  ENOENT: 'the system allows no folder there',
};

/** Converts the error of a write to a full disk to an `SvcError`; returns other errors unchanged. */
export function diskFull(error: unknown, folder: string, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new SvcError('IO', `${reasonOf(error)} while writing ${what} to ${folder}`, { cause: error });
}

/** Links to follow; Linux gives up after as many. */
const mostLinks = 40;

/**
 * The target of a symbolic link, also of a file that does not exist yet: to rename a file to the link itself
 * would replace the link. Other paths stay as they are.
 *
 * @throws the error of the system for links that lead in a circle
 */
export async function followLinks(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < mostLinks; links += 1) {
    const next = await readlink(target).catch(() => undefined);
    if (next === undefined) return target;
    target = resolve(dirname(target), next);
  }
  return realpath(path);
}

/**
 * Writes a file or folder atomically: under a temporary name next to `path`, renamed when complete. On a failure,
 * `path` stays unchanged and nothing else is left. A link stays, and its target is written.
 */
export async function replaceWhole<Result>(
  path: string,
  make: (temporary: string) => Promise<Result>,
): Promise<Result> {
  // A pipe or a device is written to, and stays; links such as /dev/stdout lead to no path.
  const existing = await stat(path).catch(() => undefined);
  if (existing !== undefined && !existing.isFile() && !existing.isDirectory()) return make(path);
  const target = await followLinks(path);
  const temporary = besidePath(target, `.${randomBytes(6).toString('hex')}.tmp`);
  const forget = noteTemporary(temporary);
  try {
    const result = await make(temporary);
    if (existing?.isFile()) await chmod(temporary, existing.mode & 0o7777);
    await storeFile(temporary);
    await rename(temporary, target);
    return result;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  } finally {
    forget();
  }
}

/** Waits until the content of a file is on the disk: after a power failure, its new name would lead to zeros. */
async function storeFile(path: string): Promise<void> {
  const file = await open(path, 'r+').catch(() => undefined);
  // A folder, or a file that nobody may write.
  if (file === undefined) return;
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Creates a folder and its parents. Node's recursive `mkdir` never returns if the system reports ENOENT in an existing
 * folder, as Linux does in `/proc`.
 *
 * @param mode of the created folders
 * @returns the first created folder; undefined if all existed
 * @throws SvcError IO
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeAll(resolve(path), mode);
  } catch (cause) {
    const reason = folderReasons[(cause as NodeJS.ErrnoException).code ?? ''] ?? reasonOf(cause);
    throw new SvcError('IO', `cannot create folder ${path}: ${reason}`, { cause });
  }
}

async function makeAll(folder: string, mode: number): Promise<string | undefined> {
  try {
    return await makeOne(folder, mode);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    const first = await makeAll(parent, mode);
    // Only one more attempt; another process may have created the parent or this folder in the meantime.
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
 * Rejects paths other than files: opening a named pipe waits for its writer in a thread that cannot be interrupted, and
 * a device may be endless. A missing file is not an error here.
 *
 * @param refuse creates the error for a kind such as "a named pipe"
 * @example await refuseIrregular(path, (kind) => new SvcError('IO', `cannot read ${path}: it is ${kind}`));
 */
export async function refuseIrregular(path: string, refuse: (kind: string) => Error): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw refuse(kindOf(found));
}

/** Paths of open file descriptors: pipes of `<(…)` and standard input, which have a writer. */
const descriptors = /^\/(dev|proc)\//;

/** Rejects only named pipes, except those created by a shell, for input that is read once from the beginning. */
export async function refuseNamedPipe(path: string, refuse: () => Error): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFIFO() && !descriptors.test(resolve(path))) throw refuse();
}
