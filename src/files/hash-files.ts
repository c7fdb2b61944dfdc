/** Hashes of what files contain. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Hashes a model file, or all files of a model folder: about one second per gigabyte. */
export async function hashModel(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await filesOf(path)) {
    hash.update(`${relative(path, file)}\0${(await stat(file)).size}\0`);
    await hashFile(file, hash, signal);
  }
  return hash.digest('hex');
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** SHA-256 of the bytes of a file, hexadecimal. */
export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await hashFile(path, hash);
  return hash.digest('hex');
}

export async function hashFile(path: string, hash: Hash, signal?: AbortSignal): Promise<void> {
  const each = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) hash.update(chunk);
  };
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), each, { signal });
}
