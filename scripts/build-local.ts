/**
 * `npm run build:local`: the page that runs a model in the browser, as a folder for any static host.
 *
 * `--output <folder>` (default `build/local`); `--model <.gguf file or folder of svc export --format onnx>` to offer, may
 * be repeated (default: the demo model).
 */
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exportOnnx } from '../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../export/onnx/precision.ts';
import { manifestName, parseManifest } from '../src/engine/backends/onnx/manifest.ts';
import { makeFolder } from '../src/files/file-system.ts';
import { describePresets, listPresets } from '../src/voices/recorded-voices.ts';
import { buildPage } from './web/build-page.ts';

const root = join(import.meta.dirname, '..');
const demo = join(root, 'models', 'demo.gguf');

interface Offered {
  readonly name: string;
  readonly address: string;
  readonly bytes: number;
}

/** Copies or exports a model into the folder: the files that its manifest lists. */
async function offer(model: string, output: string, others: readonly Offered[]): Promise<Offered> {
  const work = join(output, 'models', '.export');
  try {
    const found = await stat(model).catch(() => undefined);
    if (found === undefined) throw new Error(`no model at ${model}`);
    const isFile = found.isFile();
    if (isFile) await exportOnnx({ checkpoint: model, output: work, types: modelPrecisions.f32 });
    const source = isFile ? work : model;
    const { name, files } = parseManifest(await readFile(join(source, manifestName), 'utf8'), manifestName);
    if (files === undefined)
      throw new Error(`${manifestName} of ${model} has no hashes; export the model again with svc export`);
    if (others.some((other) => other.name === name))
      throw new Error(`two models have the name "${name}"; rename the folder of one`);
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

/** Refuses a folder of anything but an earlier build, which is replaced. */
async function checkOutput(output: string): Promise<void> {
  const names = await readdir(output).catch((): string[] => []);
  if (names.length > 0 && !names.includes('worker.js')) {
    throw new Error(`${output} has other files than an earlier build; choose a new folder with --output`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: join(root, 'build', 'local') },
      model: { type: 'string', multiple: true, default: [demo] },
    },
  });
  const output = resolve(values.output);
  await checkOutput(output);
  await buildPage('local', output);
  const models: Offered[] = [];
  for (const model of values.model) models.push(await offer(model, output, models));
  await makeFolder(join(output, 'voices'));
  for (const { audio } of await listPresets()) await cp(audio, join(output, 'voices', basename(audio)));
  await writeFile(join(output, 'voices.json'), `${JSON.stringify(await describePresets(), null, 2)}\n`);
  await writeFile(join(output, 'models.json'), `${JSON.stringify({ models }, null, 2)}\n`);
  console.log(`wrote ${output}: the page and ${models.map(({ name }) => name).join(', ')}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
