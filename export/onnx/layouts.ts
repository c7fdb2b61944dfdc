/** The graphs and other files of each layout. */
import { voxcpmOnnxFiles } from '../../src/engine/backends/onnx/layout.ts';
import { SvcError } from '../../src/errors.ts';
import { type ModelConfig, transformerShapes } from '../model-config.ts';
import type { CheckpointWeights } from './checkpoint-weights.ts';
import { GraphBuilder } from './graph.ts';
import type { Layout } from './layout-names.ts';
import type { StageContext } from './linear.ts';
import { buildFlow, buildSchedule } from './stages/flow.ts';
import { buildLanguageModels } from './stages/language-models.ts';
import { buildVaeDecoder, buildVaeEncoder, type StateShape } from './stages/vae.ts';
import {
  buildVoxcpmOnnxDecoder,
  buildVoxcpmOnnxEncoder,
  buildVoxcpmOnnxPrefill,
  buildVoxcpmOnnxStep,
} from './stages/voxcpm-onnx.ts';

export const defaultFiles = {
  languageModels: 'language_models.onnx',
  flow: 'flow.onnx',
  schedule: 'schedule.onnx',
  vaeEncoder: 'vae_encoder.onnx',
  vaeDecoder: 'vae_decoder.onnx',
  tokenizer: 'tokenizer.json',
} as const;

/** Descriptions of the files, in their metadata. */
const descriptions: Readonly<Record<string, string>> = {
  [defaultFiles.languageModels]:
    'Embeddings, local encoder, base LM, FSQ, residual LM and stop head; prefill and step.',
  [defaultFiles.flow]: 'Flow matching with the local DiT: all Euler steps of one patch, with guidance.',
  [defaultFiles.schedule]: 'Embeddings of the times of a flow-matching schedule.',
  [defaultFiles.vaeEncoder]: 'Causal encoder of the audio VAE: samples to latents, chunk by chunk.',
  [defaultFiles.vaeDecoder]: 'Causal decoder of the audio VAE: latents to samples, chunk by chunk.',
  [voxcpmOnnxFiles.encoder]: 'Encoder of the audio VAE: samples to latents.',
  [voxcpmOnnxFiles.decoder]: 'Decoder of the audio VAE: latents to samples.',
  [voxcpmOnnxFiles.prefill]: 'Caches and condition of a prefix of text and audio.',
  [voxcpmOnnxFiles.step]: 'One patch by flow matching, and the caches and condition of the next.',
};

export interface BuiltGraph {
  readonly file: string;
  readonly graph: GraphBuilder;
}

export interface BuiltLayout {
  readonly graphs: readonly BuiltGraph[];
  /** Causal states of VAE encoder and decoder; only in the default layout. */
  readonly states: { readonly encoder: readonly StateShape[]; readonly decoder: readonly StateShape[] };
}

export interface LayoutOptions {
  readonly layout: Layout;
  /** Fixed in the graphs of `voxcpm-onnx`, an input of the default layout. */
  readonly timesteps: number;
}

/** @throws SvcError MODEL_INVALID for a model that the layout does not support */
export function buildLayout(config: ModelConfig, weights: CheckpointWeights, options: LayoutOptions): BuiltLayout {
  requireEvenHeads(config);
  const graphs: BuiltGraph[] = [];
  const begin = (file: string): StageContext => {
    const graph = new GraphBuilder(file.replace(/\.onnx$/, ''));
    graph.description = descriptions[file] ?? '';
    graphs.push({ file, graph });
    return { graph, weights };
  };
  if (options.layout === 'default') return { graphs, states: buildDefault(config, begin) };
  buildVoxcpmOnnx(config, options, begin);
  return { graphs, states: { encoder: [], decoder: [] } };
}

type Begin = (file: string) => StageContext;

function buildDefault(config: ModelConfig, begin: Begin): BuiltLayout['states'] {
  buildLanguageModels(begin(defaultFiles.languageModels), config);
  buildFlow(begin(defaultFiles.flow), config);
  buildSchedule(begin(defaultFiles.schedule), config);
  const encoder = buildVaeEncoder(begin(defaultFiles.vaeEncoder), config);
  const decoder = buildVaeDecoder(begin(defaultFiles.vaeDecoder), config);
  return { encoder, decoder };
}

function buildVoxcpmOnnx(config: ModelConfig, { timesteps }: LayoutOptions, begin: Begin): void {
  if (config.architecture !== 'voxcpm') {
    throw new SvcError(
      'MODEL_INVALID',
      `layout voxcpm-onnx supports only models of architecture voxcpm, not ${config.architecture}`,
    );
  }
  buildVoxcpmOnnxEncoder(begin(voxcpmOnnxFiles.encoder), config);
  buildVoxcpmOnnxDecoder(begin(voxcpmOnnxFiles.decoder), config);
  buildVoxcpmOnnxPrefill(begin(voxcpmOnnxFiles.prefill), config);
  buildVoxcpmOnnxStep(begin(voxcpmOnnxFiles.step), config, timesteps);
}

/** RoPE rotates pairs of values. */
function requireEvenHeads(config: ModelConfig): void {
  for (const [stack, { headDim }] of Object.entries(transformerShapes(config))) {
    if (headDim % 2 === 0) continue;
    throw new SvcError('MODEL_INVALID', `the head size of ${stack} must be even, got ${headDim}`);
  }
}
