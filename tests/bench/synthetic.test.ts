import { readdir } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { matchTensors } from '../../export/expected-tensors.ts';
import { syntheticCheckpoint } from '../../src/bench/synthetic/checkpoint.ts';
import { onnxPrecision, syntheticModel } from '../../src/bench/synthetic/model.ts';
import { publishedModels } from '../../src/bench/synthetic/published-configs.ts';
import { quantizeOnce } from '../../src/bench/synthetic/quantize-once.ts';
import { blockElements } from '../../src/bench/synthetic/values.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { createTokenizer } from '../../src/engine/text/tokenizer.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readFloats, type TensorSource } from '../../src/formats/tensor-source.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Checkpoint = ReturnType<typeof syntheticCheckpoint>;

async function values({ tensors }: Checkpoint, name: string, start = 0, count?: number): Promise<number[]> {
  const source = tensors.get(name);
  if (source === undefined) throw new Error(`expected tensor ${name}`);
  return [...(await readFloats(source, start, count ?? elementCount(source.shape) - start))];
}

const matrix = 'base_lm.layers.0.mlp.up_proj.weight';
// Created once, since a tokenizer of the published size takes long.
const models = new Map(publishedModels.map((model) => [model, syntheticCheckpoint(model)]));
const small = syntheticCheckpoint('0.5b', 24);

describe('syntheticCheckpoint', () => {
  it.each(publishedModels)('of %s has every tensor of the checkpoint', (model) => {
    const { config, tensors } = models.get(model) as Checkpoint;
    expect(matchTensors(config, tensors).length).toBe(tensors.size);
  });

  it.each([
    ['0.5b', 640],
    ['1.5', 790],
    ['2', 2270],
  ] as const)('of %s has about %i million parameters', (model, millions) => {
    const parameters = [...(models.get(model) as Checkpoint).tensors.values()]
      .filter(({ name }) => !name.startsWith('audio_vae.'))
      .reduce((total, { shape }) => total + elementCount(shape), 0);
    expect(Math.abs(parameters / 1e6 / millions - 1)).toBeLessThan(0.1);
  });

  it('never stops, whatever the input of the stop head', async () => {
    expect(new Set(await values(small, 'stop_proj.weight', 0, 10_000))).toEqual(new Set([0]));
    expect(new Set(await values(small, 'stop_proj.bias'))).toEqual(new Set([1]));
    const head = await values(small, 'stop_head.weight');
    const [goOn, stop] = [head.slice(0, head.length / 2), head.slice(head.length / 2)];
    expect(Math.min(...goOn)).toBeGreaterThan(0);
    expect(Math.max(...stop)).toBeLessThan(0);
  });

  it('has normally distributed values with the official deviation, determined by the seed', async () => {
    const drawn = await values(small, matrix, 0, 50_000);
    const deviation = Math.sqrt(drawn.reduce((total, value) => total + value * value, 0) / drawn.length);
    expect(Math.abs(deviation / 0.02 - 1)).toBeLessThan(0.02);
    expect(await values(models.get('0.5b') as Checkpoint, matrix, 0, 8)).toEqual(drawn.slice(0, 8));
    expect(await values(syntheticCheckpoint('0.5b', 24, 2), matrix, 0, 8)).not.toEqual(drawn.slice(0, 8));
  });

  it('returns the same values in any order of reads', async () => {
    const edge = blockElements - 50;
    expect(await values(small, matrix, edge + 20, 60)).toEqual((await values(small, matrix, edge, 100)).slice(20, 80));
  });

  it('needs as many tokens for the default text as the published vocabulary', () => {
    const { tokenizer } = small.tokenizerFiles;
    const { encode } = createTokenizer((key) => (key === 'tokenizer.huggingface.json' ? tokenizer : undefined));
    const ids = encode('The quick brown fox jumps over the lazy dog near the river bank.');
    expect(ids.length + 1).toBe(26);
  });
});

describe('quantizeOnce', () => {
  it.each(['q8_0', 'q4_k'])('returns the same bytes of %s as quantizing all values', async (type) => {
    const addon = await loadAddon();
    const quantize = (name: string, floats: Float32Array, rowLength: number) => addon.quantize(name, floats, rowLength);
    const source = small.tensors.get(matrix) as TensorSource;
    const floats = await readFloats(source, 0, blockElements * 2 + 8 * 1024);
    expect(Buffer.compare(quantizeOnce(quantize)(type, floats, 1024), quantize(type, floats, 1024))).toBe(0);
  });
});

describe('onnxPrecision', () => {
  it.each([
    ['f32', 'f32'],
    ['bf16', 'f32'],
    ['f16', 'f16'],
    ['q8_0', 'q8'],
    ['q6_k', 'q8'],
    ['q4_k', 'q4'],
    ['q4_0', 'q4'],
  ] as const)('%s: %s', (type, precision) => {
    expect(onnxPrecision(type)).toBe(precision);
  });
});

describe('syntheticModel', () => {
  it('leaves nothing behind when canceled', async () => {
    await using cacheFolder = await temporaryFolder();

    const controller = new AbortController();
    const written = syntheticModel({
      ...{ model: '0.5b', type: 'bf16', engine: 'native', cacheFolder: cacheFolder.path, quantize: undefined },
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(written).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await readdir(cacheFolder.join('bench'))).toEqual([]);
  });
});
