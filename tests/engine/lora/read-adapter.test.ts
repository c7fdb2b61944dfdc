import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAdapter } from '../../../src/engine/lora/read-adapter.ts';
import { toBfloat16, toHalf } from '../../../src/formats/float-conversion.ts';
import {
  buildSafetensors,
  pickledDictionary,
  pickledTensor,
  raw,
  type SafetensorsInput,
  torchArchive,
  withHeader,
} from '../../export/build-files.ts';
import { errorOf, expectError } from '../../support/errors.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const fixtures = new URL('../../fixtures/lora/', import.meta.url).pathname;
const target = 'base_lm.layers.0.self_attn.q_proj';

const folder = sharedFolder();
let count = 0;

const bytesOf = (values: Float32Array | Uint16Array): Uint8Array => new Uint8Array(values.buffer);

const floats = (...shape: readonly number[]): SafetensorsInput => {
  const values = Float32Array.from({ length: shape.reduce((product, length) => product * length, 1) }, (_, i) => i / 8);
  return { dtype: 'F32', shape, data: bytesOf(values) };
};

interface Files {
  readonly weights?: Uint8Array;
  readonly name?: string;
  readonly config?: string;
}

async function adapter({ weights, name = 'lora_weights.safetensors', config }: Files): Promise<string> {
  count += 1;
  const path = join(folder, String(count));
  await mkdir(path);
  if (weights) await writeFile(join(path, name), weights);
  if (config !== undefined) await writeFile(join(path, 'lora_config.json'), config);
  return path;
}

const tensors = (entries: Readonly<Record<string, SafetensorsInput>>): Uint8Array =>
  buildSafetensors(Object.fromEntries(Object.entries(entries).map(([name, input]) => [`${target}.${name}`, input])));

const valid = tensors({ lora_A: floats(2, 4), lora_B: floats(3, 2) });
const config = JSON.stringify({ lora_config: { r: 2, alpha: 4 } });

describe('readAdapter', () => {
  it.each([
    ['tiny-v2-all', { rank: 4, alpha: 8, baseModel: 'tiny-v2', targets: 32 }, 'lora_weights.safetensors'],
    ['tiny-v1-lm', { rank: 8, alpha: 16, baseModel: 'tiny-v1', targets: 10 }, 'lora_weights.ckpt'],
    ['tiny-v15-dit', { rank: 3, alpha: 6, baseModel: 'tiny-v15', targets: 8 }, 'lora_weights.safetensors'],
  ])('reads %s of the official trainer', async (name, expected, file) => {
    const { weights, description } = await readAdapter(join(fixtures, name, 'lora'));
    expect({ ...description, targets: description.targets.length }).toMatchObject(expected);
    expect(description.path).toBe(join(fixtures, name, 'lora', file));
    expect(weights.scale).toBe(2);
    expect(weights.updates.map((update) => update.target)).toEqual(description.targets);
    const sizes = weights.updates.map(({ a, b }) => a.byteLength + b.byteLength);
    expect(description.bytes).toBe(sizes.reduce((sum, bytes) => sum + bytes));
  });

  it('reads the weights file itself, with the configuration beside it', async () => {
    const path = join(await adapter({ weights: valid, config }), 'lora_weights.safetensors');
    const { weights } = await readAdapter(path);
    expect(weights.scale).toBe(2);
    expect(weights.updates).toHaveLength(1);
    expect(Array.from(weights.updates[0]?.b ?? [])).toEqual([0, 1, 2, 3, 4, 5].map((value) => value / 8));
  });

  it('prefers a given alpha, and needs no configuration then', async () => {
    expect((await readAdapter(await adapter({ weights: valid, config }), { alpha: 1 })).weights.scale).toBe(0.5);
    expect((await readAdapter(await adapter({ weights: valid }), { alpha: 6 })).weights.scale).toBe(3);
    const unknown = /alpha is unknown .* set --lora-alpha$/;
    await expect(readAdapter(await adapter({ weights: valid }))).rejects.toThrow(unknown);
  });

  it('reads half precision exactly', async () => {
    const values = Float32Array.of(1, -0.5, 0.25, 2);
    const weights = tensors({
      lora_A: { dtype: 'F16', shape: [1, 4], data: bytesOf(toHalf(values)) },
      lora_B: { dtype: 'BF16', shape: [4, 1], data: bytesOf(toBfloat16(values)) },
    });
    const [update] = (await readAdapter(await adapter({ weights }), { alpha: 1 })).weights.updates;
    expect([Array.from(update?.a ?? []), Array.from(update?.b ?? [])]).toEqual([[...values], [...values]]);
  });

  it('refuses a checkpoint whose tensors are views of the same bytes', async () => {
    const view = pickledTensor({ storage: '0', shape: [1, 64], strides: [64, 1] });
    const column = pickledTensor({ storage: '0', shape: [64, 1], strides: [1, 1] });
    const names = Array.from({ length: 100 }, (_, layer) => `base_lm.layers.${layer}.self_attn.q_proj`);
    const pairs = names.flatMap((name) => Object.entries({ [`${name}.lora_A`]: view, [`${name}.lora_B`]: column }));
    const dictionary = Object.fromEntries(pairs);
    const weights = torchArchive(pickledDictionary(dictionary), { 0: bytesOf(new Float32Array(64)) });
    const path = await adapter({ weights, name: 'lora_weights.ckpt', config: '{"r":1,"alpha":1}' });
    const refusal = `lora_weights.ckpt: its tensors have 51200 bytes, more than the file (${weights.length})`;
    await expectError(readAdapter(path), 'MODEL_INVALID', refusal);
  });

  it('leaves out what the configuration disables', async () => {
    const weights = buildSafetensors({
      [`${target}.lora_A`]: floats(2, 4),
      [`${target}.lora_B`]: floats(3, 2),
      'enc_to_lm_proj.lora_A': floats(2, 4),
      'enc_to_lm_proj.lora_B': floats(3, 2),
    });
    const load = async (fields: object): Promise<readonly string[]> => {
      const path = await adapter({ weights, config: JSON.stringify({ r: 2, alpha: 2, ...fields }) });
      return (await readAdapter(path)).description.targets;
    };
    expect(await load({})).toEqual([target, 'enc_to_lm_proj']);
    expect(await load({ enable_proj: false })).toEqual([target]);
    expect(await load({ target_modules_lm: ['v_proj'] })).toEqual(['enc_to_lm_proj']);
    await expect(load({ enable_lm: false, target_proj_modules: [] })).rejects.toThrow(/disables all of its tensors$/);
  });

  const nan = { dtype: 'F32', shape: [3, 2], data: bytesOf(new Float32Array(6).fill(Number.NaN)) };
  const integers = { dtype: 'I32', shape: [2, 4], data: new Uint8Array(32) };
  const twice = `{"${target}.lora_A":0,"${target}.lora_A":{"dtype":"F32","shape":[0,0],"data_offsets":[0,0]}}`;
  const pair = (a: SafetensorsInput, b: SafetensorsInput): Files => ({ weights: tensors({ lora_A: a, lora_B: b }) });
  const number = pickledTensor({ storage: '0', shape: [1], strides: [1] });
  const other = torchArchive(pickledDictionary({ a: number }), { 0: new Uint8Array(4) });
  it.each<[string, Files, RegExp]>([
    ['an empty folder', { config }, /it has no lora_weights.safetensors or lora_weights.ckpt$/],
    ['no tensors', { weights: buildSafetensors({}) }, /it has no tensors$/],
    ['a truncated file', { weights: valid.subarray(0, -1) }, /truncated/],
    ['text', { weights: Buffer.from('hello, world') }, /invalid header length/],
    ['an unpaired matrix', { weights: tensors({ lora_A: floats(2, 4) }) }, /q_proj.lora_B" is missing$/],
    [
      'an unknown tensor',
      { weights: tensors({ weight: floats(2, 4) }) },
      /q_proj.weight" is not part of a LoRA adapter$/,
    ],
    ['empty matrices', { weights: withHeader(twice, Buffer.alloc(0)) }, /lora_B" is missing$/],
    ['ranks that differ', pair(floats(2, 4), floats(3, 1)), /does not fit rank 2$/],
    [
      'another rank',
      { weights: valid, config: '{"lora_config":{"r":3,"alpha":3}}' },
      /2×4, which does not fit rank 3$/,
    ],
    ['one dimension', pair(floats(2), floats(3, 2)), /expected two dimensions$/],
    ['a rank of zero', pair(floats(0, 4), floats(3, 0)), /expected two dimensions$/],
    ['integers', pair(integers, floats(3, 2)), /I32, expected F32, F16 or BF16$/],
    ['NaN', pair(floats(2, 4), nan), /lora_B" has values that are not finite$/],
    ['broken JSON', { weights: valid, config: '{' }, /^lora_config.json is not valid JSON$/],
    ['a list as configuration', { weights: valid, config: '[]' }, /^lora_config.json must be an object$/],
    ['a strange alpha', { weights: valid, config: '{"alpha":-1}' }, /invalid value of "alpha"$/],
    [
      'a pickle of another kind',
      { weights: torchArchive(raw('cos\nsystem\n.')), name: 'lora_weights.ckpt' },
      /not allowed/,
    ],
    [
      'a pickle with an unknown key',
      { weights: other, name: 'lora_weights.ckpt' },
      /"a" is not part of a LoRA adapter$/,
    ],
  ])('refuses %s', async (_, files, message) => {
    const alpha = files.config ? undefined : 1;
    const error: unknown = await readAdapter(await adapter(files), { alpha }).catch((thrown: unknown) => thrown);
    expect(error).toEqual(errorOf(files.weights ? 'MODEL_INVALID' : 'MODEL_NOT_FOUND', message));
    expect((error as Error).message).not.toContain('\n');
  });

  it('refuses a path without an adapter', async () => {
    await expect(readAdapter(join(folder, 'none'))).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });
});
