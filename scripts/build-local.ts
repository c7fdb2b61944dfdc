/**
 * `npm run build:local`: builds the page for speech in the browser as a folder for any static host.
 *
 * `--output <folder>` (default: `build/local`); `--model <folder or .gguf file>` adds a model, may be repeated (default:
 * the demo model); `--page-only` adds none. `.gguf` files are exported, folders of `svc export --format onnx` copied.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { constants, createGzip } from 'node:zlib';
import { exportOnnx } from '../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../export/onnx/precision.ts';
import { manifestName, parseManifest } from '../src/engine/backends/onnx/manifest.ts';
import { makeFolder } from '../src/files.ts';
import { bundlePage } from './build-local/bundle.ts';

const root = join(import.meta.dirname, '..');
const demo = join(root, 'models', 'demo.gguf');

interface Offered {
  readonly name: string;
  readonly address: string;
  readonly bytes: number;
}

/** Adds a model to the folder, with only the files that its manifest names. */
async function offer(model: string, output: string, others: readonly Offered[]): Promise<Offered> {
  const work = join(output, 'models', '.export');
  try {
    const found = await stat(model).catch(() => undefined);
    if (found === undefined) throw new Error(`no model at ${model}`);
    const isFile = found.isFile();
    if (isFile) await exportOnnx({ checkpoint: model, output: work, types: modelPrecisions.f32 });
    const source = isFile ? work : model;
    const { name, files } = parseManifest(await readFile(join(source, manifestName), 'utf8'), manifestName);
    if (files === undefined) throw new Error(`${manifestName} of ${model} has no hashes; export the model again`);
    if (others.some((other) => other.name === name)) throw new Error(`two models have the name "${name}"`);
    const address = `models/${encodeURIComponent(name)}/`;
    const folder = join(output, 'models', name);
    await rm(folder, { recursive: true, force: true });
    await makeFolder(folder);
    for (const file of [...Object.keys(files), manifestName]) await cp(join(source, file), join(folder, file));
    return { name, address, bytes: Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0) };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Compresses WebAssembly: 43 MB become 11. */
async function compress(output: string): Promise<void> {
  const names = await readdir(output, { recursive: true });
  for (const path of names.filter((name) => name.endsWith('.wasm')).map((name) => join(output, name))) {
    const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION });
    await pipeline(createReadStream(path), gzip, createWriteStream(`${path}.gz`));
    await rm(path);
  }
}

/** Removes an earlier build; refuses to delete a folder with other contents. */
async function removeBuild(output: string): Promise<void> {
  const names = await readdir(output).catch((): string[] => []);
  if (names.length > 0 && !names.includes('worker.js')) {
    throw new Error(`--output must be a new folder or an earlier build; ${output} has other files`);
  }
  await rm(output, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: join(root, 'build', 'local') },
      model: { type: 'string', multiple: true, default: [demo] },
      'for-server': { type: 'boolean', default: false },
    },
  });
  const output = resolve(values.output);
  await removeBuild(output);
  await bundlePage(output);
  if (values['for-server']) {
    await compress(output);
  } else {
    const models: Offered[] = [];
    for (const model of values.model) models.push(await offer(model, output, models));
    await writeFile(join(output, 'models.json'), `${JSON.stringify({ models }, null, 2)}\n`);
    console.log(`wrote ${output}: the page and ${models.map(({ name }) => name).join(', ')}`);
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
