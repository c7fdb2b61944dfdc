/**
 * The kernels for AMX, on a model of its tile registers and, where the processor has them, on these: integer products are
 * those of the other kernels bit for bit.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseModelConfig } from '../../export/model-config.ts';
import { syntheticAdapter } from '../../src/bench/synthetic/adapter.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { withExported } from '../golden/compare.ts';
import { Comparison, finiteOnly } from '../golden/comparison.ts';
import { openAdapter } from '../golden/lora.ts';
import { recordedOutputs } from '../golden/recorded-outputs.ts';
import { testableKernels, tileKernelsToTest } from '../support/kernels.ts';
import { relativeError } from '../support/relative-errors.ts';

const addon = await loadAddon();
const directory = join(process.cwd(), 'tests', 'fixtures', 'tiny-v2');
const checkpoint = join(directory, 'checkpoint');

const names = tileKernelsToTest;
/** The fastest other kernels, which have the same order of sums. */
const vectors = testableKernels.find((name) => name.startsWith('avx')) ?? '';

/** Fewer columns than tile registers multiply, part of a group of 16, whole groups, and more than are kept in the cache. */
const counts = [1, 7, 8, 9, 16, 17, 31, 32, 33, 40, 64, 150];

/** A processor without AVX2 runs neither these kernels nor the model of their registers. */
if (names.length === 0) {
  it.each(['amx', 'amx_model'])('%s does not run here', (name) => {
    expect(addon.multiply(name, 'f32', new Float32Array(16), 16, new Float32Array(16), 1)).toBeUndefined();
  });
}

for (const kernels of names)
  describe(`${kernels}`, () => {
    const multiply = (name: string, type: string, weights: Float32Array, depth: number, columns: Float32Array) =>
      addon.multiply(name, type, weights, depth, columns, 2) ?? new Float32Array();

    it.each([
      // one block, an odd number of them, and whole chunks; rows of an odd number of tiles and of half a tile
      ['q8_0', [32, 96, 288, 512]],
      ['q4_0', [32, 96, 288, 512]],
      ['q4_k', [256, 1280]],
      ['i8_per_row', [256, 1280]],
    ])('multiplies %s as vectors do', (type, depths) => {
      const noise = seededNoise(11);
      for (const depth of depths) {
        for (const rows of [16, 40, 100]) {
          const weights = noise.next(rows * depth);
          for (const count of counts) {
            const columns = noise.next(depth * count);
            const expected = multiply(vectors, type, weights, depth, columns);
            expect(expected).toHaveLength(rows * count);
            expect(multiply(kernels, type, weights, depth, columns)).toEqual(expected);
          }
        }
      }
    });

    it('multiplies few columns in tiles and many in vectors with the same bits, as a process measures', () => {
      const noise = seededNoise(13);
      const depth = 256;
      const weights = noise.next(40 * depth);
      try {
        for (const type of ['q8_0', 'q4_0', 'q4_k', 'i8_per_row']) {
          for (const count of [1, 5, 17, 40]) {
            const columns = noise.next(depth * count);
            const expected = multiply(vectors, type, weights, depth, columns);
            for (const least of [1, 2 ** 31 - 1]) {
              addon.setTileLimits(least, least);
              expect(multiply(kernels, type, weights, depth, columns)).toEqual(expected);
            }
          }
        }
      } finally {
        addon.setTileLimits(8, 32);
      }
    });

    it('tells the times of both', () => {
      const { vectors: slow, tiles } = addon.productTimes(kernels, 'q4_0', Int32Array.of(1, 2), 1) ?? {};
      expect(
        [...(slow ?? []), ...(tiles ?? [])].filter((time) => time > 0 && time < Number.POSITIVE_INFINITY),
      ).toHaveLength(4);
      expect(addon.productTimes('portable', 'q8_0', Int32Array.of(1), 1)).toBeUndefined();
    });

    it('multiplies bfloat16 as vectors do, up to rounding, and each column alike in any number of them', () => {
      const noise = seededNoise(12);
      for (const [rows, depth] of [
        [16, 32],
        [40, 224],
        [100, 512],
        // not in tile registers
        [40, 70],
      ] as const) {
        const weights = noise.next(rows * depth);
        const columns = noise.next(depth * 40);
        const all = multiply(kernels, 'bf16_pairs', weights, depth, columns);
        // Vectors of AVX2 have no such products.
        const [type, rounding] = vectors === 'avx512_bf16' ? ['bf16_pairs', 1e-6] : ['bf16', 5e-3];
        const expected = multiply(vectors, type, weights, depth, columns);
        expect(relativeError(all, expected)).toBeLessThan(rounding);
        for (const count of counts.filter((count) => count < 40)) {
          const first = 40 - count;
          const some = multiply(kernels, 'bf16_pairs', weights, depth, columns.subarray(first * depth));
          expect(some).toEqual(all.subarray(first * rows));
        }
      }
    });

    it('computes all stages of a quantized model as vectors do, and the audio VAE up to rounding', async () => {
      await withExported(checkpoint, 'q8_0', async (path) => {
        const outputsOf = async (name: string) => {
          await using backend = await openNativeBackend(path, { backend: 'cpu', threads: 2, kernels: name });
          return await recordedOutputs(backend, backend.model, new Comparison(directory, finiteOnly, () => {}));
        };
        const { 'VAE decoder': wav, ...outputs } = await outputsOf(kernels);
        const { 'VAE decoder': expectedWav, ...expected } = await outputsOf(vectors);
        expect(outputs).toEqual(expected);
        expect(wav).not.toEqual(expectedWav);
        // Vectors of AVX2 compute it in float32.
        expect(relativeError(wav, expectedWav)).toBeLessThan(vectors === 'avx512_bf16' ? 0.01 : 0.02);
      });
    });

    it('computes sessions with different adapters in one batch as vectors do', async () => {
      const config = parseModelConfig(
        JSON.parse(await readFile(join(checkpoint, 'config.json'), 'utf8')),
        'config.json',
      );
      await withExported(checkpoint, 'q8_0', async (path) => {
        const patchesOf = async (name: string) => {
          await using backend = await openNativeBackend(path, { backend: 'cpu', threads: 2, kernels: name });
          const targets = ['lm, dit', 'proj'] as const;
          const adapters = [];
          for (const seed of [1, 2])
            adapters.push(
              await openAdapter(backend, syntheticAdapter(config, { targets, rank: 20, seed, strength: 0.5 })),
            );
          const sessions = [];
          for (const adapter of [undefined, ...adapters]) {
            const tokens = Int32Array.from({ length: 21 }, (_, at) => 300 + at);
            const prefix = { tokens, audioMask: new Uint8Array(21), features: new Float32Array() };
            const use = adapter && { adapter, weight: 1 };
            sessions.push(await backend.open({ ...prefix, cfg: 2, timesteps: 4, adapter: use }));
          }
          const noise = seededNoise(3).next(backend.info.patchSize * backend.info.featureDim);
          const steps = await backend.step(sessions.map((session) => ({ session, noise })));
          for (const session of sessions) await session.close();
          return steps.map(({ patch }) => patch);
        };
        const patches = await patchesOf(kernels);
        expect(patches).toEqual(await patchesOf(vectors));
        expect(patches[0]).not.toEqual(patches[1]);
        expect(patches[1]).not.toEqual(patches[2]);
      });
    });
  });
