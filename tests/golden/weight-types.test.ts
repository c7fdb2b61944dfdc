/**
 * The transformers with heads of 64 and of 128 values, as published models have them: every type of weights on every
 * instruction set of this processor, against ggml in float32 with the values that the weights stand for.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type WeightType, weightTypes } from '../../export/gguf/tensor-types.ts';
import type { Prefix } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { runnableKernels } from '../support/kernels.ts';
import { relativeError } from '../support/relative-errors.ts';

/** Within the first step, a whole one, more, and in several passes; 32 positions are a block. */
const lengths = [1, 2, 31, 64, 65, 300];

/**
 * Most root mean square of the difference, relative to the reference, on our kernels and on ggml's. Weights are the same on both
 * sides. What is left: the order of sums; a weight rounded to half precision; activations rounded to 8 bits, or by ggml also
 * to the type of the weights.
 */
const bounds: Readonly<Record<WeightType, readonly [ours: number, ggml: number]>> = {
  f32: [1e-5, 1e-5],
  f16: [1e-5, 2e-3],
  bf16: [1e-5, 0.01],
  q8_0: [0.03, 0.03],
  q6_k: [2e-3, 0.05],
  q5_k: [2e-3, 0.05],
  q5_0: [2e-3, 0.04],
  q4_k: [0.03, 0.05],
  q4_0: [0.03, 0.03],
};

/** Positions of text and, unless `audio` is 0, patches among them; the last one is text, which is not quantised to levels. */
function prefixOf({ info }: NativeBackend, length: number, audio: number): Prefix {
  const audioMask = Uint8Array.from({ length }, (_, index) => (audio > 0 && index % audio === 1 ? 1 : 0));
  const patches = audioMask.reduce((sum, value) => sum + value, 0);
  return {
    tokens: Int32Array.from(audioMask, (value, index) => (value === 1 ? 0 : 300 + ((7 * index) % 100))),
    audioMask,
    features: seededNoise(3).next(patches * info.patchSize * info.featureDim),
  };
}

type Outputs = Readonly<Record<string, Float32Array>>;

/** What the first step of an utterance computes, for prefixes of all lengths and one with patches. */
async function compute(path: string, kernels: string): Promise<Outputs> {
  const backend = await openNativeBackend(path, { backend: 'cpu', threads: 1, kernels });
  try {
    const outputs: Record<string, Float32Array> = {};
    const { patchSize, featureDim } = backend.info;
    for (const { length, audio } of [...lengths.map((length) => ({ length, audio: 0 })), { length: 40, audio: 3 }]) {
      const session = await backend.open(prefixOf(backend, length, audio), { cfg: 2, timesteps: 2 });
      const [trace] = await backend.traceStep([{ session, noise: seededNoise(5).next(patchSize * featureDim) }]);
      await session.close();
      if (trace === undefined) throw new Error('expected a trace of the step, received none');
      const name = `${length} positions${audio > 0 ? ' with patches' : ''}`;
      const { lmHidden, residualHidden, patch } = trace;
      if (!lmHidden || !residualHidden) throw new Error('expected hidden states in the trace of a step, received none');
      outputs[`hidden state after ${name}`] = lmHidden;
      // What follows a quantised level depends on which side of a half it was rounded to.
      if (audio > 0) continue;
      outputs[`residual after ${name}`] = residualHidden;
      outputs[`patch after ${name}`] = patch;
    }
    return outputs;
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}

describe.each(['tiny-h64', 'tiny-h128'])('%s', (name) => {
  const checkpoint = join(process.cwd(), 'tests', 'fixtures', name, 'checkpoint');
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-weight-types-'));
    // In a process of its own: loops over weights take ten times as long within jest.
    const program = join(import.meta.dirname, 'write-weight-types.ts');
    await promisify(execFile)(process.execPath, ['--import', 'tsx', program, checkpoint, folder]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(weightTypes)('%s on every instruction set', async (type) => {
    const stored = join(folder, `${type}.gguf`);
    const reference = await compute(join(folder, `${type}-exact.gguf`), 'ggml');
    expect(Object.keys(reference)).toHaveLength(3 * lengths.length + 1);
    const beyond: Record<string, number> = {};
    for (const kernels of [...runnableKernels, 'ggml']) {
      const bound = bounds[type][kernels === 'ggml' ? 1 : 0];
      for (const [output, values] of Object.entries(await compute(stored, kernels))) {
        const error = relativeError(values, reference[output]);
        if (!(error <= bound)) beyond[`${kernels}: ${output}`] = error;
      }
    }
    expect(beyond).toEqual({});
  });
});
