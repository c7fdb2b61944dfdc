/** The files of a model on disk: whether they were replaced, and how large they are. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of a `.gguf` file or a folder, and a version that changes when a file is replaced or rewritten. */
export async function examineFiles(path: string) {
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

/**
 * Memory of a loaded model that speaks, as measured with VoxCPM-0.5B: the native engine's packed weights take about the
 * size of the file, onnxruntime's more. The rest is for tokenizer, sessions and graphs.
 */
export const estimateBytes = (path: string, fileBytes: number): number =>
  (/\.gguf$/i.test(path) ? 1.1 : 1.5) * fileBytes + 64 * 2 ** 20;
