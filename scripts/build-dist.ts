/** Compiles the sources into `dist`, and builds the web pages into `dist/web`. Run by `npm ci` and `npm run prepare`. */
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { compileSources } from './compile-sources.ts';
import { buildPage, pageNames } from './web/build-page.ts';

const dist = join(import.meta.dirname, '..', 'dist');

/** WebAssembly is compressed as `svc serve` sends it: 43 MB become 11. */
async function buildPages(output: string): Promise<void> {
  for (const name of pageNames) await buildPage(name, join(output, name));
  const names = await readdir(output, { recursive: true });
  const compressed = names.filter((name) => name.endsWith('.wasm')).map((name) => join(output, name));
  await Promise.all(
    compressed.map(async (path) => {
      const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION });
      await pipeline(createReadStream(path), gzip, createWriteStream(`${path}.gz`));
      await rm(path);
    }),
  );
}

await compileSources(dist);
await buildPages(join(dist, 'web'));
