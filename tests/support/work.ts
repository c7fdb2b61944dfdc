/**
 * Counts work instead of time, so that a test of how cost grows with input gives the same result on any machine:
 *
 *     const { cleanText } = await countedCopy<typeof import('../../../src/engine/text/clean.ts')>(
 *       'src/engine/text/clean.ts',
 *     );
 *     expect(await growthOf((size) => cleanText('a'.repeat(size)), 10_000, 40_000)).toBeLessThan(5);
 *
 * Work is the number of characters of source code that run, from V8's block counts, and of characters and elements that
 * regular expressions, strings and arrays go through. How a single match backtracks is not visible:
 * tests/lint/regular-expressions.test.ts checks the expressions themselves.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { afterAll } from '@jest/globals';
import { buildSync } from 'esbuild';
import { countScans } from './count-scans.ts';

const root = join(import.meta.dirname, '../..');

/** V8's compilers that inline functions, whose calls are then not counted; Maglev is the default since Node.js 24. */
const optimizers = Number(process.versions.node.split('.')[0]) >= 24 ? ['opt', 'maglev'] : ['opt'];

const setOptimizing = (optimizing: boolean): void => {
  for (const name of optimizers) setFlagsFromString(optimizing ? `--${name}` : `--no-${name}`);
};

/** Starts the counting, until the end of the test file. */
const startSession = async (): Promise<Session> => {
  const session = new Session();
  session.connect();
  afterAll(() => {
    session.disconnect();
    started = undefined;
    copies.clear();
  });
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return session;
};

let started: Promise<Session> | undefined;
const copies = new Set<string>();

/**
 * Imports its own copy of modules, with the packages that they use, whose work `growthOf` and `workOf` count. V8 counts
 * the blocks only of functions that it compiles after the start, so the modules of the test itself would not do. A class
 * of a copy is another one: compare errors by their code. Call it outside of tests and hooks.
 *
 * @param paths relative to the root of the package
 */
export async function countedCopy<Module>(...paths: readonly string[]): Promise<Module> {
  started ??= startSession();
  await started;
  // Inside the package, for what is found relative to the code.
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'svc-work-'));
  try {
    const outfile = join(folder, 'copy.mjs');
    buildSync({
      stdin: { contents: paths.map((path) => `export * from './${path}';`).join('\n'), resolveDir: root },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      // Finds its WebAssembly next to its code.
      external: ['@libav.js/*'],
      banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
      outfile,
      logLevel: 'error',
    });
    copies.add(outfile);
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Work of `run` at size `to` relative to that at `from`; the quotient of the sizes if the work is linear. */
export async function growthOf(run: (size: number) => unknown, from: number, to: number): Promise<number> {
  const [small, large] = await worksOf([() => run(from), () => run(to)]);
  return (large as number) / (small as number);
}

/** As `growthOf`, of each of several: in less time, as V8 goes through all code of the process to begin anew. */
export async function growthsOf(
  runs: readonly ((size: number) => unknown)[],
  from: number,
  to: number,
): Promise<readonly number[]> {
  const works = await worksOf(runs.flatMap((run) => [() => run(from), () => run(to)]));
  return runs.map((_, index) => (works[2 * index + 1] as number) / (works[2 * index] as number));
}

/** Work of `run` in the copied modules and in scanning; what it returns is awaited. */
export async function workOf(run: () => unknown): Promise<number> {
  const [work] = await worksOf([run]);
  return work as number;
}

async function worksOf(runs: readonly (() => unknown)[]): Promise<readonly number[]> {
  if (copies.size === 0) throw new Error('nothing is counted; import the modules with countedCopy');
  const session = (await started) as Session;
  // Reading the counts sets them to zero.
  await session.post('Profiler.takePreciseCoverage');
  const works: number[] = [];
  for (const run of runs) {
    const scans = countScans();
    // Other tests of the file run at full speed.
    setOptimizing(false);
    try {
      await run();
    } finally {
      setOptimizing(true);
      scans.stop();
    }
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const counted = result.filter(({ url }) => [...copies].some((path) => url.endsWith(path)));
    works.push(counted.flatMap(({ functions }) => functions).reduce((sum, one) => sum + executed(one), scans.units()));
  }
  return works;
}

/** Characters of the source of a function that ran, each as often as it did. */
function executed({ ranges }: Profiler.FunctionCoverage): number {
  const around: Profiler.CoverageRange[] = [];
  let sum = 0;
  // The first one is the function; others are inside an earlier one, whose count they replace.
  for (const range of ranges) {
    while (around.length > 0 && (around.at(-1)?.endOffset ?? 0) <= range.startOffset) around.pop();
    sum += (range.count - (around.at(-1)?.count ?? 0)) * (range.endOffset - range.startOffset);
    around.push(range);
  }
  return sum;
}
