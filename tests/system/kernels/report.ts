/**
 * Compares the engine with golden data on the system that runs it, with each kernels of its processor, and prints what came
 * out as JSON; `windows.test.ts` and `musl.test.ts` run it, compiled.
 *
 *     node report.js [--ggml] FIXTURE…
 *
 * FIXTURE is a folder of golden data; `--ggml` adds ggml's kernels.
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { loadAddon } from '../../../src/engine/backends/native/load-addon.ts';
import { compareGolden } from '../../golden/compare.ts';
import { runnableKernels } from '../../support/kernels.ts';

export interface Report {
  readonly golden: readonly {
    readonly fixture: string;
    readonly kernels: string;
    readonly checks: number;
    readonly failures: readonly unknown[];
  }[];
  /** Whether the addon knows how fast the processor multiplies, per kernels. */
  readonly peaks: readonly boolean[];
}

const { values, positionals } = parseArgs({
  options: { ggml: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const compared = [...runnableKernels, ...(values.ggml ? ['ggml'] : [])];

const golden: Report['golden'][number][] = [];
for (const directory of positionals) {
  for (const kernels of compared) {
    // Complete runs only repeat the stages, and are slow without vector instructions.
    const runs = kernels === 'portable' ? [] : ['cont'];
    const { checks, failures } = await compareGolden({
      directory,
      type: 'f32',
      backend: 'cpu',
      threads: 1,
      kernels,
      runs,
    });
    golden.push({ fixture: basename(directory), kernels, checks: checks.length, failures });
  }
}
const { integerPeak } = await loadAddon();
const peaks = runnableKernels.map((kernels) => integerPeak(kernels, 1) !== undefined);
const report: Report = { golden, peaks };
console.log(JSON.stringify(report));
