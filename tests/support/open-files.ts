import { readdir, readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Names of the files directly in a folder that this process has open, sorted. */
export async function openFilesIn(folder: string): Promise<readonly string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return paths
    .filter((path) => dirname(path) === folder)
    .map((path) => basename(path))
    .sort();
}
