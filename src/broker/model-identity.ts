/** Tells whether two workers would make the same audio of a request, so that one may go on where another has died. */
import { createHash } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelInfo } from '../engine/backend.ts';

/** Of each end of a file: metadata and tokenizer are at the beginning, and weights, which differ everywhere, at the end. */
const edgeBytes = 1024 * 1024;

/**
 * Of what the engine says about the model and of the edges of its files: gigabytes need not be read for it.
 *
 * @param path of a file, or of a folder whose files count
 */
export async function identifyModel({ device: _, ...info }: ModelInfo, path: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(info));
  const names = (await stat(path)).isDirectory() ? (await readdir(path)).sort() : [''];
  for (const name of names) {
    // Folders and pipes beside the model's files are not read.
    if (!(await stat(join(path, name))).isFile()) continue;
    const file = await open(join(path, name));
    try {
      const { size } = await file.stat();
      hash.update(`${name} ${size}\n`);
      for (const position of [0, Math.max(0, size - edgeBytes)]) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(edgeBytes), 0, edgeBytes, position);
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }
  return hash.digest('hex').slice(0, 32);
}
