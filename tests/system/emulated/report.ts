/**
 * Computes on the processor that runs it and prints what came out as JSON; `emulated-processors.test.ts` runs it, compiled.
 *
 *     node report.js FIXTURE SENTENCE SAMPLES
 *
 * FIXTURE is a folder of golden data. SAMPLES is the file for the sentence in the demo voice, as float32 samples.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../../src/create-engine.ts';
import { loadAddon } from '../../../src/engine/backends/native/load-addon.ts';
import { openNativeBackend } from '../../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../../src/engine/noise.ts';
import { findPackage } from '../../../src/package/package-root.ts';
import { compareGolden } from '../../golden/compare.ts';
import { runnableKernels } from '../../support/kernels.ts';

/** Types whose products are sums of integers, and so the same on every processor. */
const integerTypes = ['q8_0', 'q4_0', 'q4_k', 'i8_per_row'] as const;

export interface Report {
  /** Of the demo voice's model; empty for ggml's. */
  readonly kernels: string;
  readonly runnable: readonly string[];
  /** Products that are not those of the portable kernels, bit for bit. */
  readonly differing: readonly string[];
  readonly golden: { readonly checks: number; readonly failures: readonly unknown[] };
}

async function differingProducts(): Promise<string[]> {
  const addon = await loadAddon();
  const depth = 512;
  const noise = seededNoise(3);
  const weights = noise.next(37 * depth);
  return integerTypes.flatMap((type) =>
    // Fewer columns than a group, an odd number, and several groups.
    [1, 2, 3, 10, 23].flatMap((count) => {
      const columns = noise.next(count * depth);
      const product = (kernels: string) => addon.multiply(kernels, type, weights, depth, columns, 1)?.join();
      const expected = product('portable');
      const differing = runnableKernels.filter((kernels) => product(kernels) !== expected);
      return differing.map((kernels) => `${kernels}: ${type}, ${count} columns`);
    }),
  );
}

const [fixture = '', sentence = '', samplesPath = ''] = process.argv.slice(2);
const differing = await differingProducts();
// Complete runs only repeat the stages; under emulation each takes seconds.
const golden = { directory: fixture, type: 'f32', backend: 'cpu', threads: 1, runs: ['cont', 'zs_stream'] } as const;
const { checks, failures } = await compareGolden(golden);
const demo = join(findPackage().root, 'models', 'demo.gguf');
const backend = await openNativeBackend(demo, { backend: 'cpu', threads: 1 });
const { kernels } = backend.model.info;
await backend[Symbol.asyncDispose]();
await using engine = await createEngine({ threads: 1 });
const { samples } = await engine.synthesize({ text: sentence, seed: 1 });
writeFileSync(samplesPath, samples);
const report: Report = { kernels, runnable: runnableKernels, differing, golden: { checks: checks.length, failures } };
console.log(JSON.stringify(report));
