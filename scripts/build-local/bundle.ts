/** Bundles code for browsers and copies the files of onnxruntime and FFmpeg next to it. */
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..', '..');
const pageFolder = join(root, 'src', 'web', 'local', 'page');
const playgroundFolder = join(root, 'src', 'web', 'playground');

/** The page's scripts by output name. */
export const pageScripts: Readonly<Record<string, string>> = {
  main: join(root, 'src', 'web', 'local', 'main.ts'),
  worker: join(root, 'src', 'web', 'local', 'worker.ts'),
  theme: join(playgroundFolder, 'theme.js'),
  'player-worklet': join(playgroundFolder, 'player-worklet.js'),
};

/** The page's own files, the playground's style sheets, and the licenses. */
const pageFiles = [
  ...['index.html', 'local.css'].map((name) => join(pageFolder, name)),
  ...['base.css', 'controls.css', 'layout.css', 'panels.css', 'narrow.css', 'icon.svg'].map((name) =>
    join(playgroundFolder, name),
  ),
  // Licenses and sources of bundled software.
  join(root, 'THIRD_PARTY.md'),
];

/** The build with WebGPU is larger and slower on CPUs, so each browser loads the one it needs. */
const runtimes = ['ort-wasm-simd-threaded', 'ort-wasm-simd-threaded.asyncify'];

/** @returns esbuild's report of the bundles' contents */
export async function bundle(entryPoints: Readonly<Record<string, string>>, output: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { ...entryPoints },
    outdir: output,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome124', 'firefox128', 'safari17.5'],
    // Keep onnxruntime's WebAssembly out of the bundle; its path is set at run time.
    conditions: ['onnxruntime-web-use-extern-wasm'],
    minify: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'silent',
  });
  await mkdir(join(output, 'ort'), { recursive: true });
  const library = dirname(createRequire(import.meta.url).resolve('onnxruntime-web/wasm'));
  for (const name of runtimes) {
    for (const file of [`${name}.mjs`, `${name}.wasm`]) await copyFile(join(library, file), join(output, 'ort', file));
  }
  await copyResampler(output);
  return metafile;
}

/** libav.js looks for its WebAssembly next to the bundle. */
async function copyResampler(output: string): Promise<void> {
  const folder = dirname(createRequire(import.meta.url).resolve('@libav.js/variant-obsolete'));
  const files = (await readdir(folder)).filter((name) => /^libav-[\d.]+-obsolete\.wasm\.(mjs|wasm)$/.test(name));
  for (const name of files) await copyFile(join(folder, name), join(output, name));
}

export async function bundlePage(output: string): Promise<Metafile> {
  const metafile = await bundle(pageScripts, output);
  for (const path of pageFiles) await copyFile(path, join(output, path.slice(dirname(path).length + 1)));
  return metafile;
}
