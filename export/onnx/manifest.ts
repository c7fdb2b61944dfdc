/** The manifest of a model in the default layout. */
import { basename, resolve } from 'node:path';
import type { ModelLimits } from '../../src/engine/backend.ts';
import type { Manifest } from '../../src/engine/backends/onnx/manifest.ts';
import { mergeLimits } from '../../src/engine/model-limits.ts';
import type { Checkpoint } from '../checkpoint-source.ts';
import { transformerShapes } from '../model-config.ts';
import { type BuiltLayout, defaultFiles as files } from './layouts.ts';
import type { StagePrecisions } from './precision.ts';

const product = (values: readonly number[]): number => values.reduce((result, value) => result * value, 1);

export const checkpointName = ({ directory }: Checkpoint): string => basename(resolve(directory), '.gguf');

/** Describes a model for the engine, besides its graphs. */
export function describeModel(
  checkpoint: Checkpoint,
  types: StagePrecisions,
  states: BuiltLayout['states'],
  limits: ModelLimits,
): Manifest {
  const { config } = checkpoint;
  const { audio_vae_config: vae } = config;
  const { base_lm: base, residual_lm: residual } = transformerShapes(config);
  const isMeanMode = config.architecture === 'voxcpm2' ? config.dit_config.dit_mean_mode : config.dit_mean_mode;
  return {
    format: 'svc-onnx',
    version: 1,
    name: checkpointName(checkpoint),
    architecture: config.architecture,
    patchSize: config.patch_size,
    featureDim: config.feat_dim,
    encodeHop: product(vae.encoder_rates),
    decodeHop: product(vae.decoder_rates),
    inputSampleRate: vae.sample_rate,
    outputSampleRate: 'out_sample_rate' in vae ? vae.out_sample_rate : vae.sample_rate,
    maxLength: config.max_length,
    vocabularySize: config.lm_config.vocab_size,
    types,
    limits: mergeLimits(limits, checkpoint.limits),
    languageModels: {
      file: files.languageModels,
      layers: base.layers + residual.layers,
      kvHeads: base.kvHeads,
      headDim: base.headDim,
    },
    flow: { file: files.flow, isMeanMode },
    schedule: { file: files.schedule },
    vaeEncoder: { file: files.vaeEncoder, states: [...states.encoder] },
    vaeDecoder: {
      file: files.vaeDecoder,
      states: [...states.decoder],
      isConditioned: 'sr_bin_boundaries' in vae && vae.sr_bin_boundaries !== null,
    },
    tokenizer: files.tokenizer,
  };
}
