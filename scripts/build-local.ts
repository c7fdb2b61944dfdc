/**
 * `npm run build:local`: the page that speaks in the browser, as a folder for any static host.
 *
 * `--output <folder>` (default `build/local`); `--model <folder or .gguf file>` to offer, may be repeated (default: the
 * demo model, exported). Folders of `svc export --format onnx` are copied.
 *
 * `--for-server`, of `npm run prepare`: no models, and WebAssembly compressed, as `svc serve` takes it.
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

/** Puts a model into the folder; only the files that its manifest names. */
async function offer(model: string, output: string, others: readonly Offered[]): Promise<Offered> {
  const work = join(output, 'models', '.export');
  try {
    const found = await stat(model).catch(() => undefined);
    if (found === undefined) throw new Error(`expected a model, received none at ${model}`);
    const isFile = found.isFile();
    if (isFile) await exportOnnx({ checkpoint: model, output: work, types: modelPrecisions.f32 });
    const source = isFile ? work : model;
    const { name, files } = parseManifest(await readFile(join(source, manifestName), 'utf8'), manifestName);
    if (files === undefined)
      throw new Error(`expected hashes in ${manifestName} of ${model}, received none; export it again`);
    if (others.some((other) => other.name === name))
      throw new Error(`expected models of different names, received two: ${name}`);
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

/** 43 MB of WebAssembly become 11, in the package and on its users' disks. */
async function compress(output: string): Promise<void> {
  const names = await readdir(output, { recursive: true });
  for (const path of names.filter((name) => name.endsWith('.wasm')).map((name) => join(output, name))) {
    const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION });
    await pipeline(createReadStream(path), gzip, createWriteStream(`${path}.gz`));
    await rm(path);
  }
}

/** An earlier build goes; a folder of anything else is none of ours to delete. */
async function removeBuild(output: string): Promise<void> {
  const names = await readdir(output).catch((): string[] => []);
  if (names.length > 0 && !names.includes('worker.js')) {
    throw new Error(`expected a new folder or an earlier build for --output, received ${output} with other files`);
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
