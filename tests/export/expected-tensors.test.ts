import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { expectedTensors, matchTensors } from '../../export/expected-tensors.ts';
import { ggufName } from '../../export/gguf/names.ts';
import { parseModelConfig } from '../../export/model-config.ts';
import type { TensorSource } from '../../src/formats/tensor-source.ts';

const configOf = async (name: string, vae: Readonly<Record<string, unknown>> = {}) => {
  const path = new URL(`../fixtures/${name}/checkpoint/config.json`, import.meta.url);
  const config = JSON.parse(await readFile(path, 'utf8'));
  return parseModelConfig({ ...config, audio_vae_config: { ...config.audio_vae_config, ...vae } }, 'config.json');
};

const shapesOf = async (name: string, vae?: Readonly<Record<string, unknown>>) =>
  new Map(expectedTensors(await configOf(name, vae)).map((tensor) => [tensor.name, tensor.shape]));

const sources = (shapes: ReadonlyMap<string, readonly number[]>, dtype: TensorSource['dtype'] = 'F32') =>
  new Map(
    [...shapes].map(([name, shape]): [string, TensorSource] => [
      name,
      { name, shape, dtype: name.endsWith('boundaries') ? 'I32' : dtype, read: async () => new Uint8Array() },
    ]),
  );

describe('expectedTensors', () => {
  const block = 'audio_vae.decoder.sr_cond_model.2';

  it.each(['scale_bias', 'scale_bias_init'])('has scale and bias tables for %s', async (kind) => {
    const shapes = await shapesOf('tiny-v2', { cond_type: kind });
    expect(shapes.get(`${block}.scale_embed.weight`)).toEqual([4, 128]);
    expect(shapes.get('audio_vae.decoder.sr_cond_model.7.bias_embed.weight')).toEqual([4, 4]);
    expect(shapes.has(`${block}.out_layer.0.alpha`)).toBe(false);
  });

  it('has one table for add, and an optional output layer', async () => {
    const shapes = await shapesOf('tiny-v2', {
      cond_type: 'add',
      cond_out_layer: true,
      sr_bin_boundaries: [1, 2, 3, 4],
    });
    expect(shapes.get(`${block}.cond_embed.weight`)).toEqual([5, 128]);
    expect(shapes.get(`${block}.out_layer.0.alpha`)).toEqual([1, 128, 1]);
    expect(shapes.get(`${block}.out_layer.1.weight`)).toEqual([128, 128, 1]);
    expect(shapes.get('audio_vae.decoder.sr_bin_boundaries')).toEqual([4]);
  });

  it('has a table of separate width for concat', async () => {
    const shapes = await shapesOf('tiny-v2', { cond_type: 'concat', cond_out_layer: true, cond_dim: 24 });
    expect(shapes.get(`${block}.cond_embed.weight`)).toEqual([4, 24]);
    expect(shapes.get(`${block}.out_layer.0.alpha`)).toEqual([1, 152, 1]);
    expect(shapes.get(`${block}.out_layer.1.weight`)).toEqual([128, 152, 1]);
    expect(shapes.get(`${block}.out_layer.1.bias`)).toEqual([128]);
  });

  it('has no conditioning without boundaries', async () => {
    const shapes = await shapesOf('tiny-v2', { sr_bin_boundaries: null });
    expect([...shapes.keys()].filter((name) => name.includes('sr_'))).toEqual([]);
  });

  it('has one layer less before the decoder blocks if not depthwise', async () => {
    const depthwise = await shapesOf('tiny-v1');
    expect(depthwise.get('audio_vae.decoder.model.0.weight')).toEqual([16, 1, 7]);
    expect(depthwise.get('audio_vae.decoder.model.1.weight')).toEqual([64, 16, 1]);
    expect(depthwise.get('audio_vae.encoder.block.2.block.0.block.1.weight')).toEqual([8, 1, 7]);
    const full = await shapesOf('tiny-v1', { depthwise: false });
    expect(full.get('audio_vae.decoder.model.0.weight')).toEqual([64, 16, 7]);
    expect(full.get('audio_vae.decoder.model.1.block.1.weight')).toEqual([64, 32, 16]);
    expect(full.get('audio_vae.encoder.block.2.block.0.block.1.weight')).toEqual([8, 8, 7]);
    expect(full.get('audio_vae.decoder.model.6.weight')).toEqual([1, 4, 7]);
  });
});

describe('matchTensors', () => {
  it('selects tensors of the table and ignores the rest', async () => {
    const tensors = sources(await shapesOf('tiny-v2'));
    tensors.delete('audio_vae.encoder.fc_logvar.weight');
    tensors.delete('audio_vae.decoder.sr_bin_boundaries');
    const adapter = {
      name: 'base_lm.layers.0.self_attn.q_proj.lora_A',
      shape: [8, 80],
      dtype: 'F32' as const,
      read: async () => new Uint8Array(),
    };
    tensors.set(adapter.name, adapter);
    const matched = matchTensors(await configOf('tiny-v2'), tensors);
    expect(matched).toHaveLength(tensors.size - 1);
  });

  it('names a missing tensor', async () => {
    const tensors = sources(await shapesOf('tiny-v2'));
    tensors.delete('fusion_concat_proj.weight');
    const config = await configOf('tiny-v2');
    expect(() => matchTensors(config, tensors)).toThrow(
      'tensor "fusion_concat_proj.weight" of shape 80×160 is missing',
    );
  });

  it('names a tensor with a wrong shape', async () => {
    const shapes = await shapesOf('tiny-v1');
    shapes.set('stop_head.weight', [3, 64]);
    const config = await configOf('tiny-v1');
    expect(() => matchTensors(config, sources(shapes))).toThrow(
      expect.objectContaining({
        code: 'MODEL_INVALID',
        message: 'tensor "stop_head.weight" has shape 3×64, expected 2×64',
      }),
    );
  });

  it('names a tensor with a wrong type', async () => {
    const config = await configOf('tiny-v1');
    const tensors = sources(await shapesOf('tiny-v1'), 'I8');
    expect(() => matchTensors(config, tensors)).toThrow('has type I8, expected ');
  });
});

describe('ggufName', () => {
  it.each([
    ['base_lm.embed_tokens.weight', 'token_embd.weight'],
    ['base_lm.norm.weight', 'output_norm.weight'],
    ['base_lm.layers.12.mlp.up_proj.weight', 'blk.12.ffn_up.weight'],
    ['residual_lm.layers.0.self_attn.o_proj.weight', 'residual_lm.blk.0.attn_output.weight'],
    ['feat_encoder.encoder.norm.weight', 'locenc.output_norm.weight'],
    ['feat_encoder.special_token', 'locenc.special_token'],
    ['feat_decoder.estimator.delta_time_mlp.linear_1.bias', 'locdit.delta_time_mlp.linear_1.bias'],
    ['feat_decoder.estimator.decoder.layers.1.post_attention_layernorm.weight', 'locdit.blk.1.ffn_norm.weight'],
    ['fsq_layer.in_proj.bias', 'fsq.in_proj.bias'],
    ['stop_proj.weight', 'stop.stop_proj.weight'],
    ['audio_vae.decoder.model.0.bias', 'audio_vae.decoder.model.0.bias'],
  ])('%s is %s', (official, gguf) => {
    expect(ggufName(official)).toBe(gguf);
  });
});
