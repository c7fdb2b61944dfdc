/** From an official checkpoint to a folder of ONNX graphs that holds everything: graphs, weights, tokenizer, manifest. */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type Manifest, manifestName } from '../../src/engine/backends/onnx/manifest.ts';
import { SvcError } from '../../src/errors.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { type ModelConfig, transformerShapes } from '../../src/model/config.ts';
import { findPackage } from '../../src/model/package-root.ts';
import { type Checkpoint, openCheckpoint } from '../checkpoint.ts';
import { matchTensors } from '../expected-tensors.ts';
import type { ExportLimits } from '../export-gguf.ts';
import { type CheckpointWeights, checkpointWeights } from './checkpoint-weights.ts';
import { GraphBuilder } from './graph.ts';
import type { StageContext } from './linear.ts';
import type { Precision, StagePrecisions } from './precision.ts';
import { buildFlow, buildSchedule } from './stages/flow.ts';
import { buildLanguageModels } from './stages/language-models.ts';
import { buildVaeDecoder, buildVaeEncoder, type StateShape } from './stages/vae.ts';
import { weightBytes } from './weight.ts';
import { writeModel } from './writer.ts';

export interface OnnxExport {
  /** Directory in the official layout. */
  readonly checkpoint: string;
  /** Folder to write; made when it is not there. */
  readonly output: string;
  readonly types: StagePrecisions;
  readonly limits?: ExportLimits | undefined;
  /** Bytes of weights written, of all. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OnnxExportResult {
  readonly bytes: number;
  readonly files: readonly string[];
  /** Tensors of the checkpoint that the model does not use. */
  readonly unused: readonly string[];
}

/** Graphs of the default layout by the name of their file. */
interface BuiltGraph {
  readonly file: string;
  readonly graph: GraphBuilder;
}

const files = {
  languageModels: 'language_models.onnx',
  flow: 'flow.onnx',
  schedule: 'schedule.onnx',
  vaeEncoder: 'vae_encoder.onnx',
  vaeDecoder: 'vae_decoder.onnx',
  tokenizer: 'tokenizer.json',
} as const;

/**
 * Exports a checkpoint. Memory is bounded by the largest matrix, whatever the size of the model.
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, INVALID_REQUEST, CANCELLED, IO
 * @example await exportOnnx({ checkpoint: 'VoxCPM-0.5B', output: 'onnx', types: { lm: 'f32', dit: 'f32', vae: 'f32' } });
 */
export async function exportOnnx(options: OnnxExport): Promise<OnnxExportResult> {
  const { output, types, signal, onProgress } = options;
  const checkpoint = await openCheckpoint(options.checkpoint);
  try {
    const { config } = checkpoint;
    const matched = matchTensors(config, checkpoint.tensors);
    refuseUnsupported(config);
    const { graphs, states } = buildGraphs(config, checkpointWeights(matched), types);
    await mkdir(output, { recursive: true });
    const total = graphs.reduce((sum, { graph }) => sum + graphBytes(graph), 0);
    let done = 0;
    let bytes = 0;
    const onBytes = (count: number): void => {
      done += count;
      onProgress?.(done, total);
    };
    // Without its manifest a folder is no model: an interrupted export is never taken for a whole one.
    await rm(join(output, manifestName), { force: true });
    const version = findPackage().version;
    for (const { file, graph } of graphs) {
      bytes += await writeModel(join(output, file), graph, { version, metadata: {}, signal, onBytes });
    }
    await writeText(join(output, files.tokenizer), checkpoint.tokenizerFiles.tokenizer);
    const manifest = describe(checkpoint, types, states, options.limits ?? {});
    await writeText(join(output, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
    const used = new Set(matched.map(({ expected }) => expected.name));
    return {
      bytes,
      files: [...graphs.map(({ file }) => file), files.tokenizer, manifestName],
      unused: [...checkpoint.tensors.keys()].filter((name) => !used.has(name)),
    };
  } finally {
    await checkpoint[Symbol.asyncDispose]();
  }
}

const graphBytes = (graph: GraphBuilder): number =>
  graph.weights.reduce((sum, { weight }) => sum + weightBytes(weight), 0);

/** Shapes that the graphs are not written for. */
function refuseUnsupported(config: ModelConfig): void {
  for (const [stack, { headDim, layers, heads, hidden }] of Object.entries(transformerShapes(config))) {
    if (headDim % 2 === 0 && layers >= 1 && elementCount([heads, hidden]) > 0) continue;
    throw new SvcError('MODEL_INVALID', `expected an even head size for ${stack} of the config, received ${headDim}`);
  }
}

interface States {
  readonly encoder: readonly StateShape[];
  readonly decoder: readonly StateShape[];
}

function buildGraphs(
  config: ModelConfig,
  weights: CheckpointWeights,
  types: StagePrecisions,
): { graphs: BuiltGraph[]; states: States } {
  const graphs: BuiltGraph[] = [];
  const begin = (file: string, precision: Precision): StageContext => {
    const graph = new GraphBuilder(basename(file, '.onnx'));
    graphs.push({ file, graph });
    return { graph, weights, precision };
  };
  buildLanguageModels(begin(files.languageModels, types.lm), config);
  buildFlow(begin(files.flow, types.dit), config);
  // Run once for a number of timesteps: nothing is gained by fewer bits.
  buildSchedule(begin(files.schedule, types.dit === 'f32' ? 'f32' : 'f16'), config);
  const encoder = buildVaeEncoder(begin(files.vaeEncoder, types.vae), config);
  const decoder = buildVaeDecoder(begin(files.vaeDecoder, types.vae), config);
  return { graphs, states: { encoder, decoder } };
}

const product = (values: readonly number[]): number => values.reduce((result, value) => result * value, 1);

function describe(
  checkpoint: Checkpoint,
  types: StagePrecisions,
  states: States,
  { maxTextCharacters, fixedVoice }: ExportLimits,
): Manifest {
  const { config } = checkpoint;
  const { audio_vae_config: vae } = config;
  const { base_lm: base, residual_lm: residual } = transformerShapes(config);
  const isMeanMode = config.architecture === 'voxcpm2' ? config.dit_config.dit_mean_mode : config.dit_mean_mode;
  return {
    format: 'svc-onnx',
    version: 1,
    name: basename(resolve(checkpoint.directory)),
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
    limits: {
      ...(maxTextCharacters === undefined ? {} : { maxTextCharacters }),
      ...(fixedVoice === undefined ? {} : { fixedVoice }),
    },
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

async function writeText(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
