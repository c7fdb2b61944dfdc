/** Identity of a model: workers with equal identities generate the same audio, so one can continue for another. */
import { createHash } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelInfo } from '../../engine/backend.ts';

/** Bytes hashed at each end of a file: metadata and tokenizer are at the start, weights at the end. */
const edgeBytes = 1024 * 1024;

/**
 * Hash of the engine's model information and of the edges of the model's files, which avoids reading gigabytes.
 *
 * @param adapters hashes of LoRA adapters with their names
 * @param path a file, or a folder whose files are hashed
 */
export async function identifyModel(
  { device: _, ...info }: ModelInfo,
  path: string,
  adapters: readonly string[] = [],
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(info));
  for (const adapter of [...adapters].sort()) hash.update(`${adapter}\n`);
  const names = (await stat(path)).isDirectory() ? (await readdir(path)).sort() : [''];
  for (const name of names) {
    // Skip folders and pipes.
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
