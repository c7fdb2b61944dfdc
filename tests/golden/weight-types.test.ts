/**
 * Transformers with heads of 64 and 128 values, like published models: every weight type on every instruction set of this
 * processor, compared with ggml in float32 with the dequantized weights.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type WeightType, weightTypes } from '../../export/gguf/tensor-types.ts';
import { parseModelConfig } from '../../export/model-config.ts';
import { syntheticAdapter } from '../../src/bench/synthetic/adapter.ts';
import type { AdapterUse, Prefix } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import type { DitType } from '../../src/engine/engine-options.ts';
import type { LoraWeights } from '../../src/engine/lora/lora-weights.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { testableKernels } from '../support/kernels.ts';
import { relativeError } from '../support/relative-errors.ts';
import { rounds } from '../support/rounds.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { openAdapter } from './lora.ts';
import { writeWeightTypes } from './write-weight-types.ts';

/**
 * Prefix lengths: within the first pass, exactly one, more, and several passes; a block has 32 positions. Every length
 * takes the same code on every instruction set and of every width, so that the best one alone has all of them.
 */
const lengths = rounds([2, 31, 81, 170], [1, 2, 31, 80, 81, 300]);
const fewLengths = rounds([2, 81], lengths);
/** Heads of 128 values take the same code, with other bounds. */
const models = [
  ['tiny-h64', lengths, testableKernels],
  ['tiny-h128', rounds([2, 81, 170], lengths), rounds(testableKernels.slice(0, 1), testableKernels)],
] as const;

/**
 * Bounds of the relative RMS error with our kernels and with ggml's. Weights are equal on both sides; the rest is the
 * order of sums, weights rounded to half precision, and activations rounded to 8 bits or, by ggml, to the weight type.
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

/** Text positions with `audio` patches among them; the last is text, which FSQ doesn't quantize. */
function prefixOf({ info }: NativeBackend, length: number, audio: number): Prefix {
  const audioMask = Uint8Array.from({ length }, (_, index) => (audio > 0 && index % audio === 1 ? 1 : 0));
  const patches = audioMask.reduce((sum, value) => sum + value, 0);
  return {
    tokens: Int32Array.from(audioMask, (value, index) => (value === 1 ? 0 : 300 + ((7 * index) % 100))),
    audioMask,
    features: seededNoise(3).next(patches * info.patchSize * info.featureDim),
  };
}

interface Case {
  readonly length: number;
  readonly audio: number;
  readonly use?: AdapterUse;
}

const adapterOptions = { targets: ['lm, dit', 'proj'], rank: 20, seed: 1, strength: 0.5 } as const;

type Outputs = Readonly<Record<string, Float32Array>>;

/** Outputs of the first step, for prefixes of all lengths, one with patches and one with an adapter. */
async function compute(
  path: string,
  kernels: string,
  update: LoraWeights,
  wanted: readonly number[],
  ditType?: DitType,
): Promise<Outputs> {
  const backend = await openNativeBackend(path, { backend: 'cpu', threads: 1, kernels, ditType });
  try {
    const outputs: Record<string, Float32Array> = {};
    const { patchSize, featureDim } = backend.info;
    const adapter = await openAdapter(backend, update);
    const alone = wanted.map((length) => ({ length, audio: 0 }));
    const cases: readonly Case[] = [
      ...alone,
      { length: 40, audio: 3 },
      { length: 70, audio: 0, use: { adapter, weight: 1 } },
    ];
    for (const { length, audio, use } of cases) {
      const session = await backend.open({ ...prefixOf(backend, length, audio), cfg: 2, timesteps: 2, adapter: use });
      const [trace] = await backend.traceStep([{ session, noise: seededNoise(5).next(patchSize * featureDim) }]);
      await session.close();
      if (trace === undefined) throw new Error('the step has no trace');
      const name = `${length} positions${audio > 0 ? ' with patches' : ''}${use ? ' with an adapter' : ''}`;
      const { lmHidden, residualHidden, patch } = trace;
      if (!lmHidden || !residualHidden) throw new Error('the trace of a step has no hidden states');
      outputs[`hidden state after ${name}`] = lmHidden;
      // Everything after FSQ depends on the direction of its rounding.
      if (audio > 0) continue;
      outputs[`residual after ${name}`] = residualHidden;
      outputs[`patch after ${name}`] = patch;
    }
    return outputs;
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}

describe.each(models)('%s', (name, lengths, tested) => {
  const checkpoint = join(process.cwd(), 'tests', 'fixtures', name, 'checkpoint');
  const folder = sharedFolder();
  let update: LoraWeights;
  beforeAll(async () => {
    const config = parseModelConfig(JSON.parse(await readFile(join(checkpoint, 'config.json'), 'utf8')), 'config.json');
    update = syntheticAdapter(config, adapterOptions);
    await writeWeightTypes(checkpoint, folder);
  });

  it.each(weightTypes)('%s on every instruction set', async (type) => {
    const stored = join(folder, `${type}.gguf`);
    const reference = await compute(join(folder, `${type}-exact.gguf`), 'ggml', update, lengths);
    expect(Object.keys(reference)).toHaveLength(3 * lengths.length + 4);
    const beyond: Record<string, number> = {};
    const computed = new Map<string, Outputs>();
    for (const kernels of [...tested, 'ggml']) {
      const wanted = kernels === tested[0] ? lengths : fewLengths;
      const bound = bounds[type][kernels === 'ggml' ? 1 : 0];
      const outputs = await compute(stored, kernels, update, wanted, 'file');
      computed.set(kernels, outputs);
      for (const [output, values] of Object.entries(outputs)) {
        const error = relativeError(values, reference[output]);
        // Beside quantized weights, the factors of adapters are rounded too.
        const factor = output.endsWith('with an adapter') ? 1.5 : 1;
        if (!(error <= factor * bound)) beyond[`${kernels}: ${output}`] = error;
      }
    }
    expect(beyond).toEqual({});
    // AMX sums integers otherwise, but exactly.
    const vectors = computed.get('avx512');
    for (const kernels of tested.filter((name) => name.startsWith('amx')))
      expect(computed.get(kernels)).toMatchObject(vectors ?? {});
  });

  it('q4_k with LocDiT as bytes on every instruction set', async () => {
    const stored = join(folder, 'q4_k.gguf');
    const reference = await compute(join(folder, 'q4_k-exact.gguf'), 'ggml', update, lengths);
    for (const kernels of tested) {
      const file = await compute(stored, kernels, update, fewLengths, 'file');
      const bytes = await compute(stored, kernels, update, fewLengths, 'int8');
      for (const [output, values] of Object.entries(bytes)) {
        if (!output.startsWith('patch')) expect(values).toEqual(file[output]);
        else {
          expect(values).not.toEqual(file[output]);
          expect(relativeError(values, reference[output])).toBeLessThan(0.06);
        }
      }
    }
  });
});
