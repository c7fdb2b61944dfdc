import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parseModelConfig, transformerShapes } from '../../export/model-config.ts';

type Fields = Record<string, unknown>;

const load = async (name: string): Promise<Fields> =>
  JSON.parse(await readFile(new URL(`../fixtures/${name}/checkpoint/config.json`, import.meta.url), 'utf8'));
const one = await load('tiny-v1');
const two = await load('tiny-v2');
const parse = (value: unknown) => parseModelConfig(value, 'config.json');

/** The config with a nested field set; `undefined` removes it. */
function having(config: Fields, path: string, value: unknown): Fields {
  const [head = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : having((config[head] ?? {}) as Fields, rest.join('.'), value);
  return JSON.parse(JSON.stringify({ ...config, [head]: inner }));
}

describe('parseModelConfig', () => {
  it('treats a config without architecture as voxcpm', () => {
    expect(parse(having(one, 'architecture', undefined)).architecture).toBe('voxcpm');
    expect(parse(having(two, 'architecture', 'VoxCPM2')).architecture).toBe('voxcpm2');
  });

  it('fills in the official sizes of the local transformers', () => {
    const { encoder_config, dit_config } = parse(
      having(having(one, 'encoder_config', { kv_channels: 16 }), 'dit_config', { kv_channels: 16, cfm_config: {} }),
    );
    const sizes = { hidden_dim: 1024, ffn_dim: 4096, num_heads: 16, num_layers: 4 };
    expect(encoder_config).toMatchObject(sizes);
    expect(dit_config).toMatchObject(sizes);
  });

  it('fills in the official defaults of each class', () => {
    const sizes = ['patch_size', 'residual_lm_num_layers', 'scalar_quantization_latent_dim', 'max_length'];
    const bare = (config: Fields) =>
      [...sizes, 'audio_vae_config', 'scalar_quantization_scale'].reduce(
        (left, key) => having(left, key, undefined),
        having(config, 'feat_dim', 64),
      );
    expect(parse(bare(one))).toMatchObject({
      patch_size: 2,
      residual_lm_num_layers: 6,
      scalar_quantization_latent_dim: 256,
      scalar_quantization_scale: 9,
      max_length: 4096,
      dit_mean_mode: false,
      audio_vae_config: {
        encoder_dim: 128,
        decoder_dim: 1536,
        decoder_rates: [8, 8, 5, 2],
        depthwise: true,
        sample_rate: 16000,
      },
    });
    expect(parse(bare(two))).toMatchObject({
      patch_size: 4,
      residual_lm_num_layers: 8,
      scalar_quantization_latent_dim: 512,
      max_length: 8192,
      residual_lm_no_rope: true,
      audio_vae_config: {
        decoder_dim: 2048,
        decoder_rates: [8, 6, 5, 2, 2, 2],
        out_sample_rate: 48000,
        sr_bin_boundaries: [20000, 30000, 40000],
        cond_type: 'scale_bias',
      },
    });
    expect(parse(having(two, 'residual_lm_no_rope', undefined))).toMatchObject({ residual_lm_no_rope: false });
    expect(parse(having(one, 'lm_config.use_mup', undefined)).lm_config.use_mup).toBe(true);
    expect(parse(having(two, 'audio_vae_config.sr_bin_boundaries', null)).audio_vae_config).toMatchObject({
      sr_bin_boundaries: null,
    });
  });

  it('derives head sizes from kv_channels or the width', () => {
    expect(transformerShapes(parse(one))['feat_encoder.encoder']).toEqual({
      layers: 2,
      hidden: 32,
      intermediate: 96,
      heads: 2,
      kvHeads: 2,
      headDim: 16,
    });
    expect(transformerShapes(parse(two)).residual_lm).toMatchObject({ layers: 2, heads: 4, headDim: 24 });
  });

  it.each([
    [
      'another model',
      { architectures: ['LlamaForCausalLM'], hidden_size: 1 },
      'config.json: not the config of a VoxCPM model (lm_config, encoder_config, dit_config), but of "LlamaForCausalLM"',
    ],
    ['a list', [1], 'not the config of a VoxCPM model'],
    [
      'another architecture',
      having(one, 'architecture', 'voxcpm3'),
      'config.json: architecture must be voxcpm or voxcpm2, got "voxcpm3"',
    ],
    [
      'a missing field',
      having(one, 'lm_config.hidden_size', undefined),
      'config.json: lm_config.hidden_size is missing',
    ],
    ['a string as size', having(one, 'patch_size', '2'), 'config.json: patch_size must be of type number, got string'],
    ['a huge size', having(one, 'lm_config.hidden_size', 1e12), 'config.json: invalid lm_config.hidden_size: '],
    ['too many layers', having(one, 'residual_lm_num_layers', 1e6), 'config.json: invalid residual_lm_num_layers: '],
    [
      'heads that do not divide',
      having(one, 'dit_config.num_heads', 7),
      'the width of feat_decoder.estimator.decoder must be a multiple of its heads, got 96 for 7 heads',
    ],
    [
      'heads that do not share',
      having(one, 'lm_config.num_key_value_heads', 3),
      'must be a multiple of its 3 key-value heads',
    ],
    [
      'the wrong number of factors',
      having(one, 'lm_config.rope_scaling.long_factor', [1]),
      'rope_scaling of base_lm must have 8 long and short factors',
    ],
    [
      'a VAE of another width',
      having(one, 'audio_vae_config.latent_dim', 8),
      'audio_vae_config.latent_dim must equal feat_dim (16), got 8',
    ],
    ['noise blocks', having(one, 'audio_vae_config.use_noise_block', true), 'noise blocks are not supported'],
    ['an unknown conditioning', having(two, 'audio_vae_config.cond_type', 'film'), 'audio_vae_config.cond_type'],
    [
      'concat without out layer',
      having(two, 'audio_vae_config.cond_type', 'concat'),
      'audio_vae_config.cond_out_layer must be true',
    ],
    [
      'a VAE that runs out of channels',
      having(one, 'audio_vae_config.decoder_dim', 8),
      'audio_vae_config.decoder_dim must be at least 16, got 8',
    ],
    [
      'an odd DiT',
      having(having(one, 'dit_config.hidden_dim', 99), 'dit_config.kv_channels', 16),
      'dit_config.hidden_dim must be an even number of at least 4, got 99',
    ],
  ])('refuses %s', (_name, value, message) => {
    expect(() => parse(value)).toThrow(
      expect.objectContaining({ code: 'MODEL_INVALID', message: expect.stringMatching(/^[^\n]+$/) }),
    );
    expect(() => parse(value)).toThrow(message);
  });

  it('refuses a value nested beyond any stack', () => {
    const deep = JSON.parse(`${'['.repeat(1e5)}${']'.repeat(1e5)}`);
    expect(() => parse({ architectures: deep })).toThrow(' an object');
    expect(() => parse({ ...one, architecture: deep })).toThrow(' an object');
  });
});
