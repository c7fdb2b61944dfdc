import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf, SvcError } from './errors.ts';

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
