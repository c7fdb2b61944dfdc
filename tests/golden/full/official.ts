import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { syntheticCheckpoint } from '../../../src/bench/synthetic/checkpoint.ts';
import type { PublishedModel } from '../../../src/bench/synthetic/published-configs.ts';

export interface Official {
  /** Interpreter with the packages of `requirements.txt`. */
  readonly python: string;
  /** A folder, wheel or archive of the official code; by default the pinned release of `source.txt`. */
  readonly source: string | undefined;
  readonly workFolder: string;
  /** Decides weights and noise. */
  readonly seed: number;
}

const here = import.meta.dirname;
const run = promisify(execFile);

/**
 * Returns a golden folder of a random checkpoint in the published dimensions, with the values of the official code.
 * Every finished step is kept, so that an interrupted run continues.
 */
export async function makeGolden(model: PublishedModel, official: Official): Promise<string> {
  const { workFolder, seed } = official;
  const folder = join(workFolder, `${model}-${seed}`);
  const has = (name: string): boolean => existsSync(join(folder, name));
  if (has('golden.json')) return folder;
  const source = await unpackedSource(official);
  const program = (...step: string[]): Promise<void> =>
    follow(official.python, [
      join(here, 'official.py'),
      ...step,
      ...['--source', source, '--folder', folder, '--seed', String(seed)],
    ]);
  if (!has('prompt_a.wav')) {
    await writeDescription(model, join(folder, 'checkpoint'));
    await program('synthesize');
  }
  if (!has('float32.safetensors')) await program('record', '--precision', 'float32');
  await program('record', '--precision', 'float64');
  return folder;
}

/** The files of a checkpoint other than weights. */
async function writeDescription(model: PublishedModel, folder: string): Promise<void> {
  const { configText, tokenizerFiles } = syntheticCheckpoint(model);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.json'), configText);
  await writeFile(join(folder, 'tokenizer.json'), tokenizerFiles.tokenizer);
  await writeFile(join(folder, 'tokenizer_config.json'), tokenizerFiles.tokenizerConfig);
  await writeFile(join(folder, 'special_tokens_map.json'), tokenizerFiles.specialTokensMap);
}

/** The folder that contains the package `voxcpm`; downloads and unpacks it on first use. */
async function unpackedSource({ python, source, workFolder }: Official): Promise<string> {
  if (source !== undefined && (await stat(source)).isDirectory()) return packageRoot(source);
  const target = join(workFolder, 'source');
  let archive = source;
  if (archive === undefined) {
    const download = join(workFolder, 'download');
    const pinned = ['--require-hashes', '--requirement', join(here, 'source.txt')];
    await run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', ...pinned, '--dest', download]);
    const [wheel] = await readdir(download);
    archive = join(download, wheel ?? '');
  }
  const unpack =
    'import shutil, sys; _, file, to = sys.argv; shutil.unpack_archive(file, to, "zip" if file.endswith("whl") else None)';
  await run(python, ['-c', unpack, archive, target]);
  return packageRoot(target);
}

/** A wheel has the package at its root, a repository in `src`, a source archive in `NAME/src`. */
async function packageRoot(folder: string): Promise<string> {
  const inner = await readdir(folder);
  for (const root of ['', 'src', ...inner, ...inner.map((name) => join(name, 'src'))]) {
    if (existsSync(join(folder, root, 'voxcpm', 'model', 'voxcpm.py'))) return join(folder, root);
  }
  throw new Error(`${folder} does not contain the package voxcpm`);
}

/** Runs a program with its output on standard error. */
async function follow(command: string, parameters: readonly string[]): Promise<void> {
  const child = spawn(command, parameters, { stdio: ['ignore', 2, 2] });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (status !== 0) {
    throw new Error(
      `${command} failed with status ${status}; it needs the packages of ${join(here, 'requirements.txt')}`,
    );
  }
}
