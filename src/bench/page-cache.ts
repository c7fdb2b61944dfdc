/** Reads files into the page cache, so that loading is measured without the disk. */
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const chunkBytes = 4 * 1024 * 1024;

/** The files of a model: itself, or all files in its folder. */
async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(path, name));
}

/** Reads the files of a model once. @returns their total size in bytes */
export async function readThrough(path: string, signal: AbortSignal): Promise<number> {
  const chunk = new Uint8Array(chunkBytes);
  let total = 0;
  for (const file of await filesOf(path)) {
    await using handle = await open(file, 'r');
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, chunkBytes, null);
      if (bytesRead === 0) break;
      total += bytesRead;
    }
  }
  return total;
}
