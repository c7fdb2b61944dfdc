/** `config.json` of the published models VoxCPM-0.5B, VoxCPM1.5 and VoxCPM2, with invented rope factors. */
export const publishedModels = ['0.5b', '1.5', '2'] as const;
export type PublishedModel = (typeof publishedModels)[number];

interface Dimensions {
  readonly architecture: 'voxcpm' | 'voxcpm2';
  readonly hidden: number;
  readonly intermediate: number;
  readonly layers: number;
  readonly residualLayers: number;
  readonly localLayers: number;
  /** Set if it is not width / heads. */
  readonly kvChannels?: number;
  readonly patchSize: number;
  readonly quantizationDim: number;
  readonly contextLength: number;
  readonly sections: Readonly<Record<string, unknown>>;
}

const vae1 = {
  encoder_dim: 128,
  encoder_rates: [2, 5, 8, 8],
  latent_dim: 64,
  decoder_dim: 1536,
  decoder_rates: [8, 8, 5, 2],
};

const models: Readonly<Record<PublishedModel, Dimensions>> = {
  '0.5b': {
    architecture: 'voxcpm',
    hidden: 1024,
    intermediate: 4096,
    layers: 24,
    residualLayers: 6,
    localLayers: 4,
    patchSize: 2,
    quantizationDim: 256,
    contextLength: 4096,
    sections: { audio_vae_config: { ...vae1, sample_rate: 16000 } },
  },
  '1.5': {
    architecture: 'voxcpm',
    hidden: 1024,
    intermediate: 4096,
    layers: 24,
    residualLayers: 8,
    localLayers: 8,
    patchSize: 4,
    quantizationDim: 256,
    contextLength: 4096,
    sections: {
      audio_vae_config: {
        encoder_dim: 64,
        encoder_rates: [2, 3, 6, 7, 7],
        latent_dim: 64,
        decoder_dim: 2048,
        decoder_rates: [7, 7, 6, 3, 2],
        sample_rate: 44100,
      },
    },
  },
  '2': {
    architecture: 'voxcpm2',
    hidden: 2048,
    intermediate: 6144,
    layers: 28,
    residualLayers: 8,
    localLayers: 12,
    kvChannels: 128,
    patchSize: 4,
    quantizationDim: 512,
    contextLength: 8192,
    sections: {
      residual_lm_no_rope: true,
      audio_vae_config: {
        ...vae1,
        decoder_dim: 2048,
        decoder_rates: [8, 6, 5, 2, 2, 2],
        sr_bin_boundaries: [20000, 30000, 40000],
        sample_rate: 16000,
        out_sample_rate: 48000,
      },
    },
  },
};

/** The config of a published model, with the layers of every stack divided (at least one each). */
export function publishedConfig(model: PublishedModel, layersDivisor: number): Readonly<Record<string, unknown>> {
  const {
    architecture,
    hidden,
    intermediate,
    kvChannels,
    patchSize,
    quantizationDim,
    contextLength,
    sections,
    ...layers
  } = models[model];
  const divided = (count: number): number => Math.max(1, Math.floor(count / layersDivisor));
  const channels = kvChannels === undefined ? {} : { kv_channels: kvChannels };
  const local = {
    hidden_dim: 1024,
    ffn_dim: 4096,
    num_heads: 16,
    num_layers: divided(layers.localLayers),
    ...channels,
  };
  const factors = Array.from({ length: (kvChannels ?? hidden / 16) / 2 }, (_, index) => 1.001 + index / 16);
  return {
    architecture,
    lm_config: {
      bos_token_id: 1,
      eos_token_id: 2,
      hidden_size: hidden,
      intermediate_size: intermediate,
      max_position_embeddings: 32768,
      num_attention_heads: 16,
      num_hidden_layers: divided(layers.layers),
      num_key_value_heads: 2,
      rms_norm_eps: 1e-5,
      rope_theta: 10000,
      rope_scaling: {
        type: 'longrope',
        long_factor: factors,
        short_factor: factors,
        original_max_position_embeddings: 32768,
      },
      vocab_size: 73448,
      scale_emb: 12,
      dim_model_base: 256,
      scale_depth: 1.4,
      use_mup: false,
      ...channels,
    },
    patch_size: patchSize,
    feat_dim: 64,
    scalar_quantization_latent_dim: quantizationDim,
    scalar_quantization_scale: 9,
    residual_lm_num_layers: divided(layers.residualLayers),
    encoder_config: local,
    dit_config: {
      ...local,
      cfm_config: { sigma_min: 1e-6, solver: 'euler', t_scheduler: 'log-norm', inference_cfg_rate: 2.5 },
    },
    max_length: contextLength,
    device: 'cuda',
    dtype: 'bfloat16',
    ...sections,
  };
}
