/** Findings about this machine, kept in the cache folder as JSON; in this process where the folder can't be written. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, replaceWhole } from '../../../files/file-system.ts';

const known = new Map<string, unknown>();

/** Undefined if nothing, or nothing readable, is kept. */
export async function readKept(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return known.get(file);
  }
}

export async function keep(file: string, finding: unknown): Promise<void> {
  known.set(file, finding);
  try {
    await makeFolder(join(file, '..'));
    await replaceWhole(file, (temporary) => writeFile(temporary, `${JSON.stringify(finding)}\n`));
  } catch {
    // Another process finds it out again.
  }
}

export async function forget(file: string): Promise<void> {
  known.delete(file);
  await rm(file, { force: true }).catch(() => undefined);
}
