import { statfs } from 'node:fs/promises';
import { SvcError } from './errors.ts';

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

/** A write that met the end of the disk all the same. */
export function diskFull(error: unknown, folder: string, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new SvcError('IO', `expected room in ${folder} for ${what}, received a full disk (${code})`, { cause: error });
}
