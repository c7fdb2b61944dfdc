/**
 * Puts four packages into the compiled files that import them: most of each is builds and sources that Node never loads,
 * 39 MB of which 5 MB are used. They stay development dependencies (docs/adr/0032-what-an-installation-weighs.md).
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** The compiled file that imports each package, below `dist/src`. */
export const inlined = {
  '@huggingface/hub': 'hub/hub',
  '@libav.js/variant-obsolete': 'audio/libav',
  '@mediabunny/aac-encoder': 'audio/aac-encode',
  mediabunny: 'audio/mediabunny',
};

const root = dirname(import.meta.dirname);

/**
 * @param output a folder like `dist`; the files that import a package are written to `src`, the packages to `packages`
 * @returns esbuild's metafile: what went into which file
 */
export async function inlinePackages(output) {
  const compiled = join(root, 'dist');
  rmSync(join(output, 'packages'), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.values(inlined).map((path) => join(compiled, 'src', `${path}.js`)),
    outbase: compiled,
    outdir: output,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.17',
    chunkNames: 'packages/[name]-[hash]',
    minify: true,
    keepNames: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
    plugins: [keepOthers],
  });
  const folder = dirname(createRequire(import.meta.url).resolve('@libav.js/variant-obsolete'));
  for (const name of readdirSync(folder).filter((file) => /^libav-[\d.]+-obsolete\.wasm\.(mjs|wasm)$/.test(file))) {
    copyFileSync(join(folder, name), join(output, 'packages', name));
  }
  return metafile;
}

/** Our own files and all other packages are left as they are imported. */
const keepOthers = {
  name: 'keep-others',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      return Object.hasOwn(inlined, path) ? undefined : { path, external: true };
    });
  },
};

if (process.argv[1] === import.meta.filename) {
  await inlinePackages(join(root, 'dist'));
}
