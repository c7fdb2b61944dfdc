/**
 * Puts some packages into the compiled modules that import them: most of each is builds and sources that Node never loads,
 * 43 MB of which 5 MB are used. They stay development dependencies (docs/adr/0032-what-an-installation-weighs.md).
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { build, type Metafile, type Plugin } from 'esbuild';
import { copyLibav } from './libav-files.ts';

const inlined = [
  '@huggingface/hub',
  '@libav.js/variant-obsolete',
  '@mediabunny/aac-encoder',
  '@modelcontextprotocol/sdk',
  'csv-parse',
  'mediabunny',
];

const root = dirname(import.meta.dirname);

/**
 * Compiles our modules that import one of the packages together with it.
 *
 * @param output like `dist`: our modules go to their places, the packages to `packages`
 * @returns esbuild's metafile: what went into which file
 */
export async function inlinePackages(output: string): Promise<Metafile> {
  rmSync(join(output, 'packages'), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: importers(),
    outbase: root,
    outdir: output,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.17',
    chunkNames: 'packages/[name]-[hash]',
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
    plugins: [keepOthers],
  });
  await copyLibav(join(output, 'packages'));
  return metafile;
}

const isInlined = (specifier = ''): boolean =>
  inlined.some((name) => specifier === name || specifier.startsWith(`${name}/`));

/** Our modules that import one of the packages, without those that import types alone. */
function importers(): string[] {
  const files = ['src', 'export'].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map((path) => join(root, name, path)),
  );
  return files.filter((path) => {
    if (!path.endsWith('.ts')) return false;
    const imports = readFileSync(path, 'utf8').matchAll(
      /^(?!import type).*?(?:\bfrom |(?<!typeof )\bimport\()['"]([^'"]+)['"]/gm,
    );
    return [...imports].some(([, specifier]) => isInlined(specifier));
  });
}

/** Our own modules and all other packages stay imports. */
const keepOthers: Plugin = {
  name: 'keep-others',
  setup({ onResolve }) {
    // A dependency of ours, which inlined packages use too.
    onResolve({ filter: /^zod($|\/)/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      return isInlined(path) ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true };
    });
  },
};

if (process.argv[1] === import.meta.filename) {
  await inlinePackages(join(root, 'dist'));
}
