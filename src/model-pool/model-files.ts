/** The files of a model on disk: whether they were replaced, and how large they are. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface ModelFiles {
  /** Changes when a file is replaced or rewritten. */
  readonly version: string;
  readonly bytes: number;
}

/** @param path a `.gguf` file, or a folder whose files are examined */
export async function examineFiles(path: string): Promise<ModelFiles> {
  const found = await stat(path, { bigint: true });
  const names = found.isDirectory() ? (await readdir(path)).sort() : [];
  const files = found.isDirectory()
    ? await Promise.all(names.map((name) => stat(join(path, name), { bigint: true })))
    : [found];
  const parts = files.map(
    ({ dev, ino, size, mtimeNs }, index) => `${names[index] ?? ''} ${dev} ${ino} ${size} ${mtimeNs}`,
  );
  return { version: parts.join('\n'), bytes: files.reduce((sum, { size }) => sum + Number(size), 0) };
}
