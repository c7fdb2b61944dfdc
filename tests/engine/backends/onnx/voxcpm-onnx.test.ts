import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OnnxBackend, openOnnxBackend } from '../../../../src/engine/backends/onnx/open-onnx.ts';
import { generate } from '../../../../src/engine/generate.ts';
import { recordedNoise } from '../../../../src/engine/noise.ts';
import { buildPrefix } from '../../../../src/engine/prefix.ts';
import { normalizeText } from '../../../../src/engine/text/normalize.ts';
import { createTokenizer } from '../../../../src/engine/text/tokenizer.ts';
import { concatenate } from '../../../../src/float-arrays.ts';
import { transposed } from '../../../golden/layout.ts';
import { type GoldenRun, readGolden, readSafetensors } from '../../../support/golden.ts';
import { largestDifference } from '../../../support/largest-difference.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const directory = join(fixtures, 'tiny-v1');
const golden = readGolden(directory);
const tensors = readSafetensors(join(directory, 'golden.safetensors'));

const floats = (name: string): Float32Array => tensors.get(name)?.data as Float32Array;

describe('files exported by VoxCPM-ONNX', () => {
  let backend: OnnxBackend;
  beforeAll(async () => {
    backend = await openOnnxBackend(join(fixtures, 'voxcpm-onnx'), { backend: 'cpu', threads: 1 });
  });
  afterAll(async () => {
    await backend[Symbol.asyncDispose]();
  });

  it('declare their sizes', () => {
    expect(backend.info).toMatchObject({ patchSize: 2, featureDim: 16, patchSamples: 1280, outputSampleRate: 16000 });
  });

  it.each(['zs', 'zs_stop'])('generate the golden waveform of run %s from its recorded noise', async (name) => {
    const run = golden.runs[name] as GoldenRun;
    const recorded = transposed(tensors.get(`e2e.${name}.noise`) as Parameters<typeof transposed>[0]);
    const length = backend.info.patchSize * backend.info.featureDim;
    const noise = Array.from({ length: recorded.data.length / length }, (_, draw) =>
      (recorded.data as Float32Array).slice(draw * length, (draw + 1) * length),
    );
    const tokenizer = createTokenizer((key) => backend.metadata(key));
    const utterance = {
      ...buildPrefix(backend.info, { textIds: tokenizer.encode(normalizeText(run.text)) }),
      maxPatches: run.effective_max_len,
      minLength: run.min_len,
      cfg: run.cfg_value,
      timesteps: run.inference_timesteps,
      noise: recordedNoise(noise),
      targetTokens: 0,
    };
    const chunks: Float32Array[] = [];
    for await (const { samples } of generate(backend, utterance)) chunks.push(samples);
    expect(chunks).toHaveLength(run.num_patches);
    expect(largestDifference(concatenate(chunks), floats(`e2e.${name}.wav`))).toBeLessThan(1e-3);
  });

  it('encode audio', async () => {
    const latents = await backend.encode(floats('vae.enc.in_b'));
    const expected = transposed(tensors.get('vae.enc.mu_b') as Parameters<typeof transposed>[0]).data as Float32Array;
    expect(latents).toHaveLength(expected.length);
    expect(largestDifference(latents, expected)).toBeLessThan(1e-4);
  });

  it('refuse a different number of timesteps', async () => {
    const prefix = { tokens: Int32Array.of(1, 2), audioMask: Uint8Array.of(0, 0), features: new Float32Array(0) };
    await expect(backend.open({ ...prefix, cfg: 2, timesteps: 4 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'timesteps must be 10, which is fixed in this model, got 4',
    });
  });
});
