/**
 * Compiles the sources to JavaScript, and puts some packages into the modules that import them: most of each is builds and
 * sources that Node never loads, 43 MB of which 5 MB are used. They stay development dependencies
 * (docs/adr/0025-what-an-installation-and-an-image-contain.md).
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
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
 * Compiles `src`, without the web pages, and `export`. Types are neither checked nor written: `npm run build:types` does.
 *
 * @param output like `dist`: our modules go to their places, the packages to `packages`
 * @returns esbuild's metafile: what went into which file
 */
export async function compileSources(output: string): Promise<Metafile> {
  rmSync(join(output, 'packages'), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: listSources(),
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

const listSources = (): string[] =>
  ['src', 'export']
    .flatMap((name) =>
      readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map((path) => join(root, name, path)),
    )
    .filter((path) => /(?<!\.d)\.ts$/.test(path) && !path.startsWith(join(root, 'src', 'web', sep)));

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
