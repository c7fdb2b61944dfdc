import { copyFile, cp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { exportGguf } from '../../export/export-gguf.ts';
import { readSafetensorsHeader } from '../../src/formats/safetensors.ts';
import { openFilesIn } from '../support/open-files.ts';
import { freshFolder } from '../support/test-folder.ts';
import {
  buildSafetensors,
  legacyFile,
  pickledDictionary,
  pickledTensor,
  type SafetensorsInput,
  torchArchive,
} from './build-files.ts';
import { readGguf } from './read-gguf.ts';

const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const checkpointOf = (name: string) => join(fixtures, name, 'checkpoint');

const folder = freshFolder();
let checkpoint = '';
beforeEach(() => {
  checkpoint = folder.join('checkpoint');
});

const copyOf = (name: string) => cp(checkpointOf(name), checkpoint, { recursive: true });
const output = () => folder.join('model.gguf');

async function exportedTensors(directory: string) {
  await exportGguf({ checkpoint: directory, output: output(), type: 'f32' });
  return (await readGguf(output())).tensors;
}

async function tensorsOf(file: string): Promise<Record<string, SafetensorsInput>> {
  const bytes = await readFile(file);
  const handle = await open(file, 'r');
  const entries = await readSafetensorsHeader(handle, file);
  await handle.close();
  const tensors: Record<string, SafetensorsInput> = {};
  for (const [index, { name, dtype, shape, offset }] of entries.entries()) {
    tensors[name] = { dtype, shape, data: bytes.subarray(offset, entries[index + 1]?.offset ?? bytes.length) };
  }
  return tensors;
}

describe('openCheckpoint', () => {
  it('reads shards', async () => {
    await copyOf('tiny-v2');
    const before = await exportedTensors(checkpoint);
    const file = join(checkpoint, 'model.safetensors');
    const tensors = Object.entries(await tensorsOf(file));
    await rm(file);
    const shards = { 'model-1.safetensors': tensors.slice(0, 70), 'model-2.safetensors': tensors.slice(70) };
    const map: Record<string, string> = {};
    for (const [shard, part] of Object.entries(shards)) {
      await writeFile(join(checkpoint, shard), buildSafetensors(Object.fromEntries(part)));
      for (const [name] of part) map[name] = shard;
    }
    await writeFile(join(checkpoint, 'model.safetensors.index.json'), JSON.stringify({ weight_map: map }));
    expect(await exportedTensors(checkpoint)).toEqual(before);
  });

  it('reads shards of torch, in both formats', async () => {
    await copyOf('tiny-v2');
    const before = await exportedTensors(checkpoint);
    const file = join(checkpoint, 'model.safetensors');
    const tensors = Object.entries(await tensorsOf(file));
    await rm(file);
    const map: Record<string, string> = {};
    const shard = async (name: string, part: typeof tensors, pack: typeof torchArchive | typeof legacyFile) => {
      const storages: Record<string, Buffer & { data: Uint8Array; elements: number }> = {};
      const entries: Record<string, Buffer> = {};
      for (const [index, [key, { dtype, shape, data }]] of part.entries()) {
        expect(dtype).toBe('BF16');
        map[key] = name;
        storages[index] = Object.assign(Buffer.from(data), { data, elements: data.length / 2 });
        const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, length) => product * length, 1));
        entries[key] = pickledTensor({ storage: String(index), storageType: 'BFloat16Storage', shape, strides });
      }
      await writeFile(join(checkpoint, name), pack(pickledDictionary(entries), storages));
    };
    await shard('pytorch_model-00001-of-00002.bin', tensors.slice(0, 70), torchArchive);
    await shard('pytorch_model-00002-of-00002.bin', tensors.slice(70), legacyFile);
    await writeFile(join(checkpoint, 'pytorch_model.bin.index.json'), JSON.stringify({ weight_map: map }));
    expect(await exportedTensors(checkpoint)).toEqual(before);
  });

  it('refuses shards outside the folder', async () => {
    await copyOf('tiny-v2');
    await rm(join(checkpoint, 'model.safetensors'));
    const index = { weight_map: { a: '../checkpoint/other.safetensors' } };
    await writeFile(join(checkpoint, 'model.safetensors.index.json'), JSON.stringify(index));
    await expect(openCheckpoint(checkpoint)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  it('skips a byte order mark', async () => {
    await copyOf('tiny-v1');
    const file = join(checkpoint, 'config.json');
    await writeFile(file, `\uFEFF${await readFile(file, 'utf8')}`);
    await using opened = await openCheckpoint(checkpoint);
    expect(opened.config.architecture).toBe('voxcpm');
  });

  it('accepts merges as pairs, and no merges', async () => {
    await copyOf('tiny-v1');
    const file = join(checkpoint, 'tokenizer.json');
    const tokenizer = JSON.parse(await readFile(file, 'utf8'));
    const mergesWith = async (merges: unknown) => {
      await writeFile(file, JSON.stringify({ ...tokenizer, model: { ...tokenizer.model, merges } }));
      await exportGguf({ checkpoint, output: output(), type: 'f32' });
      return (await readGguf(output())).metadata.get('tokenizer.ggml.merges')?.value;
    };
    const texts: string[] = tokenizer.model.merges.map((merge: string | string[]) =>
      Array.isArray(merge) ? merge.join(' ') : merge,
    );
    expect(texts.length).toBeGreaterThan(100);
    expect(await mergesWith(texts.map((merge) => merge.split(' ')))).toEqual({ elementType: 8, items: texts });
    expect(await mergesWith(texts)).toEqual({ elementType: 8, items: texts });
    expect(await mergesWith([])).toEqual({ elementType: 8, items: [] });
    expect(await mergesWith(undefined)).toEqual({ elementType: 8, items: [] });
  });

  it('preserves float formatting and unknown fields of the config', async () => {
    await copyOf('tiny-v2');
    const file = join(checkpoint, 'config.json');
    const text = await readFile(file, 'utf8');
    const edited = text
      .replace('"architecture": "voxcpm2"', '"architecture": "VoxCPM2"')
      .replace('"scale_emb": 12', '"scale_emb": 12.0')
      .replace(/"long_factor": \[[^,]+,/, '"long_factor": [1,')
      .replace(
        '"device"',
        '"note": "2.5 \\" 1e3", "offset": -3, "empty": [], "nothing": null, "list": ["a"], "device"',
      );
    await writeFile(file, edited);
    await exportGguf({ checkpoint, output: output(), type: 'f32' });
    const { metadata } = await readGguf(output());
    expect(metadata.get('voxcpm_lm_config_scale_emb')).toEqual({ type: 6, value: 12 });
    expect(metadata.get('voxcpm_lm_config_rope_theta')).toEqual({ type: 4, value: 10000 });
    expect(metadata.get('voxcpm_lm_config_rope_scaling_long_factor')?.value).toMatchObject({ elementType: 6 });
    expect(metadata.get('voxcpm_architecture')?.value).toBe('voxcpm2');
    expect(metadata.get('voxcpm_note')?.value).toBe('2.5 " 1e3');
    expect(metadata.get('voxcpm_offset')).toEqual({ type: 5, value: -3 });
    expect(metadata.get('voxcpm_list')?.value).toEqual({ elementType: 8, items: ['a'] });
    expect(metadata.has('voxcpm_empty') || metadata.has('voxcpm_nothing')).toBe(false);
  });

  it.each([
    ['no directory', async () => rm(checkpoint, { recursive: true }), 'MODEL_NOT_FOUND', 'no such folder: '],
    [
      'no config',
      async () => rm(join(checkpoint, 'config.json')),
      'MODEL_INVALID',
      'config.json is missing from the checkpoint ',
    ],
    [
      'a config that is no JSON',
      async () => writeFile(join(checkpoint, 'config.json'), '{'),
      'MODEL_INVALID',
      'config.json is not valid JSON',
    ],
    [
      'no weights',
      async () => rm(join(checkpoint, 'model.safetensors')),
      'MODEL_INVALID',
      ' has no model.safetensors or ',
    ],
    [
      'no VAE',
      async () => rm(join(checkpoint, 'audiovae.safetensors')),
      'MODEL_INVALID',
      ' has no audiovae.safetensors or audiovae.pth',
    ],
    [
      'no tokenizer',
      async () => rm(join(checkpoint, 'tokenizer.json')),
      'MODEL_INVALID',
      'tokenizer.json is missing from the checkpoint ',
    ],
    [
      'another tokenizer',
      async () => writeFile(join(checkpoint, 'tokenizer.json'), '{"model":{"type":"Unigram"}}'),
      'MODEL_INVALID',
      'tokenizer.json is not a BPE tokenizer: ',
    ],
  ])('refuses %s', async (_name, damage, code, message) => {
    await copyOf('tiny-v2');
    await damage();
    await expect(exportGguf({ checkpoint, output: output(), type: 'f32' })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'at its end',
      async () => {
        await using _opened = await openCheckpoint(checkpoint);
        expect(await openFilesIn(checkpoint)).toEqual(['audiovae.safetensors', 'model.safetensors']);
      },
    ],
    ['after an export', () => exportGguf({ checkpoint, output: output(), type: 'f32' })],
    [
      'if it is refused',
      async () => {
        await writeFile(join(checkpoint, 'audiovae.safetensors'), 'broken');
        await expect(openCheckpoint(checkpoint)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
      },
    ],
    [
      'if it is a file of another program',
      async () => {
        const other = join(checkpoint, 'model.gguf');
        await copyFile(join(fixtures, 'peer-tiny-v2.gguf'), other);
        await expect(openCheckpoint(other)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
      },
    ],
  ])('leaves no file open %s', async (_, use) => {
    await copyOf('tiny-v2');
    await use();
    expect(await openFilesIn(checkpoint)).toEqual([]);
  });

  it('refuses weights that are non-finite or out of range', async () => {
    await copyOf('tiny-v2');
    const file = join(checkpoint, 'model.safetensors');
    const tensors = await tensorsOf(file);
    const spoiled = async (word: number) => {
      const data = Uint8Array.from(tensors['stop_proj.weight']?.data ?? []);
      new DataView(data.buffer).setUint16(100, word, true);
      const given = tensors['stop_proj.weight'] ?? { dtype: 'BF16', shape: [80, 80], data };
      await writeFile(file, buildSafetensors({ ...tensors, 'stop_proj.weight': { ...given, data } }));
      return exportGguf({ checkpoint, output: output(), type: 'f16' });
    };
    await expect(spoiled(0x7fc0)).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: 'tensor "stop_proj.weight" has a value out of range of f16: NaN',
    });
    await expect(spoiled(0x4780)).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringContaining('out of range of f16: 65536'),
    });
  });
});
