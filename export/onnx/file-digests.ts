/** Sizes and hashes of exported files, for browsers to verify downloads. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Manifest } from '../../src/engine/backends/onnx/manifest.ts';

/** Digests by file name. */
export async function digestFiles(folder: string, names: readonly string[]): Promise<NonNullable<Manifest['files']>> {
  const digests: Record<string, { bytes: number; sha256: string }> = {};
  for (const name of names) {
    const hash = createHash('sha256');
    let bytes = 0;
    await pipeline(createReadStream(join(folder, name)), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
      }
    });
    digests[name] = { bytes, sha256: hash.digest('hex') };
  }
  return digests;
}
