import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportGguf, type Quantizer } from '../../export/export-gguf.ts';
import { fromBfloat16, fromHalf } from '../../src/formats/float-conversion.ts';
import { freshFolder, sharedFolder } from '../support/test-folder.ts';
import { bytesOf, floatsOf, type ReadGguf, readGguf } from './read-gguf.ts';

const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const names = ['tiny-v1', 'tiny-v15', 'tiny-v2'] as const;
const checkpointOf = (name: string) => join(fixtures, name, 'checkpoint');

const folder = freshFolder();

/** Keys of our files only. */
const own = [
  'general.quantization_version',
  'tokenizer.ggml.add_bos_token',
  'tokenizer.ggml.add_eos_token',
  'tokenizer.ggml.add_space_prefix',
  'tokenizer.huggingface.json',
  // Official defaults that the configs omit.
  'voxcpm_audio_vae_config_cond_dim',
  'voxcpm_audio_vae_config_cond_out_layer',
  'voxcpm_audio_vae_config_cond_type',
  'voxcpm_audio_vae_config_depthwise',
  'voxcpm_audio_vae_config_use_noise_block',
  'voxcpm_dit_config_dit_mean_mode',
  'voxcpm_dit_mean_mode',
  'voxcpm_lm_config_no_rope',
];

describe.each(names)('export of %s as f32', (name) => {
  const output = join(sharedFolder(), 'model.gguf');
  let bytes: number;
  let ours: ReadGguf;
  beforeAll(async () => {
    ({ bytes } = await exportGguf({ checkpoint: checkpointOf(name), output, type: 'f32' }));
    ours = await readGguf(output);
  });

  it("equals the output of VoxCPM.cpp's converter", async () => {
    const theirs = await readGguf(join(fixtures, `peer-${name}.gguf`));
    expect(bytes).toBe(ours.size);
    for (const [key, value] of theirs.metadata) expect([key, ours.metadata.get(key)]).toEqual([key, value]);
    expect([...ours.metadata.keys()].filter((key) => !theirs.metadata.has(key) && !own.includes(key))).toEqual([]);
    expect([...ours.tensors.keys()].sort()).toEqual([...theirs.tensors.keys()].sort());
    for (const [key, tensor] of theirs.tensors) {
      const mine = ours.tensors.get(key);
      expect([key, mine?.dimensions, mine?.type]).toEqual([key, tensor.dimensions, tensor.type]);
      expect((mine?.offset ?? 1) % 32).toBe(0);
      const [left, right] = [floatsOf(mine), floatsOf(tensor)];
      // Only weight normalization is computed, by the converter in float32.
      const worst = right.reduce(
        (largest, value, index) => Math.max(largest, Math.abs(value - (left[index] ?? 0)) / (1e-3 + Math.abs(value))),
        0,
      );
      expect([key, worst < (key.startsWith('audio_vae.') ? 1e-6 : 1e-30)]).toEqual([key, true]);
    }
  });

  it('contains the complete tokenizer', async () => {
    const written = JSON.parse(String(ours.metadata.get('tokenizer.huggingface.json')?.value));
    const { added_tokens, model } = JSON.parse(await readFile(join(checkpointOf(name), 'tokenizer.json'), 'utf8'));
    expect(written).toMatchObject({ added_tokens, model, pre_tokenizer: { prepend_scheme: 'always' } });
  });
});

describe('types', () => {
  const exported = async (type: 'f16' | 'bf16' | 'q8_0' | 'q4_k', quantize?: Quantizer) => {
    const output = folder.join(`${type}.gguf`);
    const result = await exportGguf({ checkpoint: checkpointOf('tiny-v1'), output, type, quantize });
    return { result, ...(await readGguf(output)) };
  };

  it('stores matrices as f16 and everything small as f32', async () => {
    const { tensors, metadata } = await exported('f16');
    const reference = await readGguf(join(fixtures, 'peer-tiny-v1.gguf'));
    const key = 'blk.0.attn_q.weight';
    expect(tensors.get(key)?.type).toBe(1);
    const halves = fromHalf(new Uint16Array(bytesOf(tensors.get(key))));
    floatsOf(reference.tensors.get(key)).forEach((value, index) => {
      expect(Math.abs(value - (halves[index] ?? 0))).toBeLessThanOrEqual(2 ** -11 * Math.abs(value) + 2 ** -25);
    });
    expect(tensors.get('token_embd.weight')?.type).toBe(1);
    for (const small of [
      'blk.0.attn_norm.weight',
      'stop.stop_head.weight',
      'locenc.special_token',
      'fsq.in_proj.bias',
    ]) {
      expect([small, tensors.get(small)?.type]).toEqual([small, 0]);
    }
    expect(tensors.get('audio_vae.decoder.model.2.block.1.weight')?.type).toBe(1);
    expect(tensors.get('audio_vae.decoder.model.2.block.0.alpha')?.type).toBe(0);
    expect(metadata.get('general.file_type')?.value).toBe(1);
  });

  it('stores bf16 weights of the checkpoint exactly', async () => {
    const { tensors, metadata } = await exported('bf16');
    const reference = await readGguf(join(fixtures, 'peer-tiny-v1.gguf'));
    const words = new Uint16Array(bytesOf(tensors.get('blk.1.ffn_up.weight')));
    expect([...fromBfloat16(words)]).toEqual([...floatsOf(reference.tensors.get('blk.1.ffn_up.weight'))]);
    expect(metadata.get('general.file_type')?.value).toBe(32);
  });

  it('falls back if a row is not a multiple of the block size', async () => {
    const calls: string[] = [];
    const blockBytes: Readonly<Record<string, number>> = { q8_0: 34 };
    const quantize: Quantizer = (type, values, rowLength) => {
      calls.push(`${type} ${rowLength}`);
      return new Uint8Array((values.length / 32) * (blockBytes[type] ?? 0));
    };
    const { tensors, result } = await exported('q4_k', quantize);
    // Rows of 64, 96, 160 and 192 are multiples of a q8_0 block, rows of 16 and 24 of no block.
    expect(tensors.get('blk.0.ffn_down.weight')?.type).toBe(8);
    expect(tensors.get('locdit.in_proj.weight')?.type).toBe(1);
    expect(new Set(calls)).toEqual(new Set(['q8_0 32', 'q8_0 64', 'q8_0 96', 'q8_0 160', 'q8_0 192']));
    expect(result.types.q4_k).toBeUndefined();
  });

  it('requires the addon for block types', async () => {
    await expect(exported('q8_0')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('keeps a float32 VAE on request', async () => {
    const output = folder.join('model.gguf');
    await exportGguf({ checkpoint: checkpointOf('tiny-v2'), output, type: 'f16', vaeType: 'f32' });
    const { tensors } = await readGguf(output);
    const vae = [...tensors].filter(([key]) => key.startsWith('audio_vae.'));
    expect(new Set(vae.map(([, tensor]) => tensor.type))).toEqual(new Set([0, 26]));
  });
});

describe('limits', () => {
  it('are stored when given', async () => {
    const output = folder.join('model.gguf');
    await exportGguf({
      checkpoint: checkpointOf('tiny-v1'),
      output,
      type: 'f32',
      limits: { maxTextCharacters: 55 },
    });
    const { metadata } = await readGguf(output);
    expect(metadata.get('svc.limits.max_text_characters')).toEqual({ type: 4, value: 55 });
  });
});

describe('output', () => {
  it('reports progress up to the total', async () => {
    const seen: number[] = [];
    let last = 0;
    await exportGguf({
      checkpoint: checkpointOf('tiny-v1'),
      output: folder.join('model.gguf'),
      type: 'f32',
      onProgress: ({ done, total }) => {
        seen.push(done);
        last = total;
      },
    });
    expect(seen.at(-1)).toBe(last);
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
  });

  it('refuses a folder that does not exist', async () => {
    const output = folder.join('missing', 'model.gguf');
    await expect(exportGguf({ checkpoint: checkpointOf('tiny-v1'), output, type: 'f32' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/^the output folder [^\n]+ does not exist$/),
    });
  });

  it('refuses devices and pipes', async () => {
    const pipe = folder.join('pipe');
    execFileSync('mkfifo', [pipe]);
    await expect(exportGguf({ checkpoint: checkpointOf('tiny-v1'), output: pipe, type: 'f32' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: `cannot write ${pipe}: it is a device or pipe`,
    });
    expect((await stat(pipe)).isFIFO()).toBe(true);
    expect(await readdir(folder.path)).toEqual(['pipe']);
  });

  it('refuses a folder', async () => {
    await expect(
      exportGguf({ checkpoint: checkpointOf('tiny-v1'), output: folder.path, type: 'f32' }),
    ).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });

  it('refuses to replace a file of the checkpoint', async () => {
    await cp(checkpointOf('tiny-v1'), folder.path, { recursive: true });
    await expect(
      exportGguf({ checkpoint: folder.path, output: folder.join('pytorch_model.bin'), type: 'f32' }),
    ).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('does not change an existing file when canceled', async () => {
    const output = folder.join('model.gguf');
    await writeFile(output, 'before');
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expect(
      exportGguf({ checkpoint: checkpointOf('tiny-v1'), output, type: 'f32', signal: controller.signal, onProgress }),
    ).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await readFile(output, 'utf8')).toBe('before');
    expect(await readdir(folder.path)).toEqual(['model.gguf']);
  });

  it('replaces an existing file when complete', async () => {
    const output = folder.join('model.gguf');
    await writeFile(output, 'before');
    await exportGguf({ checkpoint: checkpointOf('tiny-v1'), output, type: 'f32' });
    expect((await readFile(output)).toString('latin1', 0, 4)).toBe('GGUF');
    expect(await readdir(folder.path)).toEqual(['model.gguf']);
  });
});
