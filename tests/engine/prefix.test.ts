import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ModelInfo } from '../../src/engine/backend.ts';
import { buildPrefix, checkCapacity, maxPatches, padPrompt, padReference } from '../../src/engine/prefix.ts';
import { errorWith } from '../support/errors.ts';
import { type GoldenRun, type GoldenTensor, readGolden, readSafetensors } from '../support/golden.ts';

const fixtures = join(import.meta.dirname, '../fixtures');

const models = ['tiny-v1', 'tiny-v15', 'tiny-v2'].map((name) => {
  const golden = readGolden(join(fixtures, name));
  const { derived } = golden;
  const info: ModelInfo = {
    name,
    architecture: golden.architecture,
    patchSize: derived.patch_size,
    featureDim: derived.feat_dim,
    patchSamples: derived.samples_per_patch_out,
    inputPatchSamples: derived.samples_per_patch_in,
    inputSampleRate: derived.encode_sample_rate,
    outputSampleRate: derived.output_sample_rate,
    contextLength: 256,
    weightType: 'f32',
    device: 'none',
    limits: {},
  };
  return { name, golden, info, tensors: readSafetensors(join(fixtures, name, 'golden.safetensors')) };
});

function patches(tensors: Map<string, GoldenTensor>, wav: string | null): Float32Array | undefined {
  if (wav === null) return undefined;
  return tensors.get(wav.replace('.wav', '.feat'))?.data as Float32Array;
}

/** Text ids of a run: those between reference and audio start. */
function textIds(run: GoldenRun): Int32Array {
  const start = run.text_token.indexOf(104) + 1;
  return Int32Array.from(run.text_token.slice(start, run.text_token.indexOf(101, start)));
}

const cases = models.flatMap(({ name, golden, ...model }) =>
  Object.entries(golden.runs).map(([runName, run]) => ({ name, runName, run, ...model })),
);

describe('buildPrefix', () => {
  it.each(cases)('builds the sequence of $name $runName', ({ run, info, tensors }) => {
    const prompt = patches(tensors, run.prompt_wav);
    const reference = patches(tensors, run.reference_wav);
    const built = buildPrefix(info, {
      textIds: textIds(run),
      ...(prompt === undefined ? {} : { prompt }),
      ...(reference === undefined ? {} : { reference }),
    });

    expect([...built.tokens]).toEqual(run.text_token);
    expect([...built.audioMask]).toEqual(run.audio_mask);
    expect([...built.audioMask].map((mask) => 1 - mask)).toEqual(run.text_mask);
    // Not recorded for streaming, which the official implementation doesn't prime.
    if (run.context_patches !== null) expect(built.contextPatches).toBe(run.context_patches);
    const patchLength = info.patchSize * info.featureDim;
    const features = [...(reference ?? []), ...(prompt ?? [])];
    expect([...built.features]).toEqual(features);
    expect([...built.context]).toEqual(features.slice(features.length - built.contextPatches * patchLength));
    // The length of the official audio shows how much was cut off.
    if (!run.streaming) {
      const kept = built.contextPatches + run.num_patches - built.discardPatches;
      expect(kept * info.patchSamples).toBe(run.wav_len);
    }
  });

  it('covers every mode of the official implementation', () => {
    const modes = cases.map(({ run }) => `${run.prompt_wav !== null} ${run.reference_wav !== null}`);
    expect(new Set(modes).size).toBe(4);
  });

  it('refuses a reference with VoxCPM 1', () => {
    const [model] = models;
    const parts = { textIds: Int32Array.of(1), reference: new Float32Array(32) };
    const refusal = 'reference audio needs a VoxCPM 2 model; "tiny-v1" is not one';
    expect(() => buildPrefix((model as (typeof models)[0]).info, parts)).toThrow(refusal);
  });

  it('refuses patches of a different size', () => {
    const { info } = models[2] as (typeof models)[0];
    expect(() => buildPrefix(info, { textIds: new Int32Array(0), prompt: new Float32Array(65) })).toThrow(
      'the patches of the prompt must have a multiple of 64 values, got 65',
    );
  });
});

describe('padding', () => {
  const info = { ...(models[0] as (typeof models)[0]).info, inputPatchSamples: 4 };

  it('adds zeros before a prompt and after a reference', () => {
    const samples = Float32Array.of(1, 2, 3, 4, 5);
    expect([...padPrompt(samples, info)]).toEqual([0, 0, 0, 1, 2, 3, 4, 5]);
    expect([...padReference(samples, info)]).toEqual([1, 2, 3, 4, 5, 0, 0, 0]);
  });

  it('adds nothing to complete patches', () => {
    expect(padPrompt(new Float32Array(8), info)).toHaveLength(8);
    expect(padReference(new Float32Array(0), info)).toHaveLength(0);
  });
});

describe('maxPatches', () => {
  it('equals the limit of every official run', () => {
    for (const { golden } of models) {
      const runs = Object.values(golden.runs).flatMap((run) => {
        const target = golden.tokenizer.find(({ text }) => text === run.text);
        return target === undefined ? [] : [{ run, length: target.ids.length }];
      });
      expect(runs.length).toBeGreaterThan(0);
      for (const { run, length } of runs) expect(maxPatches(length, run.max_len, 6)).toBe(run.effective_max_len);
      const { cap } = golden.runs;
      expect(maxPatches(1, cap?.max_len ?? 0, 6)).toBe(16);
    }
  });
});

describe('checkCapacity', () => {
  const { info } = models[0] as (typeof models)[0];

  it('accepts prefix and speech that fill the model', () => {
    expect(() => checkCapacity(info, 200, 56)).not.toThrow();
  });

  it('refuses more', () => {
    expect(() => checkCapacity(info, 200, 57)).toThrow(
      errorWith('INVALID_REQUEST', "no room for speech in the model's context of 256"),
    );
  });
});
