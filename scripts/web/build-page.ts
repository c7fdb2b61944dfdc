/** Builds the web pages: bundles without anything of Node, and the files of onnxruntime, FFmpeg and Swagger UI beside them. */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { copyLibav } from '../libav-files.ts';
import { renderPage } from './render-page.ts';

const root = join(import.meta.dirname, '..', '..');
const web = join(root, 'src', 'web');
const { resolve } = createRequire(import.meta.url);

const shared = {
  style: join(web, 'shared', 'style.css'),
  theme: join(web, 'shared', 'theme.ts'),
  'player-worklet': join(web, 'shared', 'player-worklet.ts'),
};

interface Page {
  /** Bundles, by the name of their output. */
  readonly entryPoints: Readonly<Record<string, string>>;
  /** Files to copy. */
  readonly files: readonly string[];
}

const viewer = dirname(resolve('swagger-ui-dist/package.json'));
const viewerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

const pages = {
  playground: { entryPoints: { ...shared, main: join(web, 'playground', 'main.ts') }, files: [] },
  local: {
    entryPoints: { ...shared, main: join(web, 'local', 'main.ts'), worker: join(web, 'local', 'worker.ts') },
    // The licenses of what is bundled, for hosts that have the page alone.
    files: [join(root, 'THIRD_PARTY.md'), join(root, 'LICENSE')],
  },
  docs: {
    entryPoints: { main: join(web, 'docs', 'main.ts'), style: join(web, 'docs', 'style.css'), theme: shared.theme },
    files: viewerFiles.map((name) => join(viewer, name)),
  },
} as const satisfies Record<string, Page>;

export type PageName = keyof typeof pages;
export const pageNames = Object.keys(pages) as readonly PageName[];

/**
 * Builds a page in a new folder; all URLs in it are relative.
 *
 * @returns the contents of each bundle
 */
export async function buildPage(name: PageName, output: string): Promise<Metafile> {
  const { entryPoints, files }: Page = pages[name];
  await rm(output, { recursive: true, force: true });
  const metafile = await bundle(entryPoints, output);
  await writeFile(join(output, 'index.html'), await renderPage(join(web, name, 'index.html')));
  for (const path of [join(web, 'shared', 'icon.svg'), ...files]) await copyFile(path, join(output, basename(path)));
  if (name === 'local') await copyRuntimes(output);
  return metafile;
}

export async function bundle(entryPoints: Readonly<Record<string, string>>, output: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { ...entryPoints },
    outdir: output,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    // Its ECMAScript module exports other names than what Node.js imports.
    alias: { alawmulaw: resolve('alawmulaw') },
    target: ['chrome124', 'firefox128', 'safari17.5'],
    // the path of its WebAssembly is passed to onnxruntime; it must not be bundled.
    conditions: ['onnxruntime-web-use-extern-wasm'],
    minify: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'silent',
  });
  return metafile;
}

/** The one with WebGPU is larger and slower on processors, so each browser loads the one that it needs. */
const runtimes = ['ort-wasm-simd-threaded', 'ort-wasm-simd-threaded.asyncify'];

/** Copies onnxruntime into `ort`, and libav.js beside the scripts, where it looks for its WebAssembly. */
export async function copyRuntimes(output: string): Promise<void> {
  await mkdir(join(output, 'ort'), { recursive: true });
  const library = dirname(resolve('onnxruntime-web/wasm'));
  for (const name of runtimes.flatMap((runtime) => [`${runtime}.mjs`, `${runtime}.wasm`])) {
    await copyFile(join(library, name), join(output, 'ort', name));
  }
  await copyLibav(output);
}
