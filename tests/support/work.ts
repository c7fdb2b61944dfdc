/**
 * Counts work instead of time, so that a test of how cost grows with input gives the same result on any machine:
 *
 *     const { cleanText } = await countedCopy<typeof import('../../../src/engine/text/clean.ts')>(
 *       'src/engine/text/clean.ts',
 *     );
 *     expect(await growthOf((size) => cleanText('a'.repeat(size)), 2_500, 10_000)).toBeLessThan(5);
 *
 * Work is the number of characters of source code that run, see count-blocks.ts, and of characters and elements that
 * regular expressions, strings and arrays go through. How a single match backtracks is not visible:
 * tests/lint/regular-expressions.test.ts checks the expressions themselves.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from '@jest/globals';
import { buildSync } from 'esbuild';
import { countBlocks } from './count-blocks.ts';
import { countScans } from './count-scans.ts';

const root = join(import.meta.dirname, '../..');

const copies = new Set<{ readonly units: number }>();

/**
 * Imports its own copy of modules, with the packages that they use, whose work `growthOf` and `workOf` count. A class of a
 * copy is another one: compare errors by their code. Call it outside of tests and hooks.
 *
 * @param paths relative to the root of the package
 */
export async function countedCopy<Module>(...paths: readonly string[]): Promise<Module> {
  const { outputFiles } = buildSync({
    stdin: { contents: paths.map((path) => `export * from './${path}';`).join('\n'), resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Finds its WebAssembly next to its code; a third of all code, whose work is that of a schema.
    external: ['@libav.js/*', 'zod'],
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    write: false,
    logLevel: 'error',
  });
  // Inside the package, for what is found relative to the code.
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'svc-work-'));
  try {
    const path = join(folder, 'copy.mjs');
    await writeFile(path, countBlocks(outputFiles[0]?.text ?? ''));
    const copy = await import(pathToFileURL(path).href);
    copies.add(copy.$executed);
    afterAll(() => copies.clear());
    return copy;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Work of `run` at size `to` relative to that at `from`; the quotient of the sizes if the work is linear. */
export async function growthOf(run: (size: number) => unknown, from: number, to: number): Promise<number> {
  const small = await workOf(() => run(from));
  return (await workOf(() => run(to))) / small;
}

/** Work of `run` in the copied modules and in scanning; what it returns is awaited. */
export async function workOf(run: () => unknown): Promise<number> {
  if (copies.size === 0) throw new Error('nothing is counted; import the modules with countedCopy');
  const executed = (): number => [...copies].reduce((sum, { units }) => sum + units, 0);
  const before = executed();
  const scans = countScans();
  try {
    await run();
  } finally {
    scans.stop();
  }
  return executed() - before + scans.units();
}
