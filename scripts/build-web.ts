/** Builds the web pages into `dist/web`, with WebAssembly compressed as `svc serve` sends it: 43 MB become 11. */
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { buildPage, pageNames } from './web/build-page.ts';

const output = join(import.meta.dirname, '..', 'dist', 'web');
for (const name of pageNames) await buildPage(name, join(output, name));

const names = await readdir(output, { recursive: true });
for (const path of names.filter((name) => name.endsWith('.wasm')).map((name) => join(output, name))) {
  const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION });
  await pipeline(createReadStream(path), gzip, createWriteStream(`${path}.gz`));
  await rm(path);
}
