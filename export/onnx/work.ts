/** Input of the writing steps: graphs of a checkpoint, or of files from earlier steps. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelLimits } from '../../src/engine/backend.ts';
import { findOnnxLayout, voxcpmOnnxFiles } from '../../src/engine/backends/onnx/layout.ts';
import { type Manifest, manifestName, parseManifest } from '../../src/engine/backends/onnx/manifest.ts';
import { configOfLimits, mergeLimits } from '../../src/engine/model-limits.ts';
import { SvcError } from '../../src/errors.ts';
import type { Checkpoint } from '../checkpoint-source.ts';
import type { MatchedTensor } from '../expected-tensors.ts';
import { checkpointWeights } from './checkpoint-weights.ts';
import type { GraphDraft } from './graph-draft.ts';
import type { Layout } from './layout-names.ts';
import { buildLayout, defaultFiles } from './layouts.ts';
import { checkpointName, describeModel } from './manifest.ts';
import { toGraphProto } from './model-proto.ts';
import { describePrecisions, modelPrecisions, parsePrecisions, type StagePrecisions } from './precision.ts';
import { readDraft } from './read-draft.ts';
import { interruptedManifest, type StepName } from './steps.ts';

export interface Work {
  readonly layout: Layout;
  readonly drafts: readonly GraphDraft[];
  /** Text files beside the graphs, by file name. */
  readonly texts: Readonly<Record<string, string>>;
  /** The manifest of the default layout, with the precisions of the drafts. */
  readonly manifest?: Manifest | undefined;
}

export interface BuildOptions {
  readonly layout: Layout;
  readonly timesteps: number;
  readonly limits: ModelLimits;
}

/**
 * Builds the graphs of a checkpoint in float32.
 *
 * @throws SvcError MODEL_INVALID
 */
export function workOnCheckpoint(
  checkpoint: Checkpoint,
  matched: readonly MatchedTensor[],
  { layout, timesteps, limits }: BuildOptions,
): Work {
  const { graphs, states } = buildLayout(checkpoint.config, checkpointWeights(matched), { layout, timesteps });
  const metadata = {
    model: checkpointName(checkpoint),
    architecture: checkpoint.config.architecture,
    layout,
    types: describePrecisions(modelPrecisions.f32),
    ...(layout === 'voxcpm-onnx' && { timesteps: String(timesteps) }),
    ...lorasOf(checkpoint),
  };
  const drafts = graphs.map(({ file, graph }): GraphDraft => {
    const weights = new Map(graph.weights.map(({ value, weight }) => [value.name, weight]));
    return { file, graph: toGraphProto(graph), weights, metadata };
  });
  if (layout === 'voxcpm-onnx') return { layout, drafts, texts: voxcpmOnnxTexts(checkpoint, timesteps, limits) };
  const manifest = describeModel(checkpoint, modelPrecisions.f32, states, limits);
  return { layout, drafts, texts: { [defaultFiles.tokenizer]: checkpoint.tokenizerFiles.tokenizer }, manifest };
}

/** Between the adapters in the metadata of a graph. */
export const loraSeparator = '; ';

const lorasOf = ({ loras }: Checkpoint): Record<string, string> =>
  loras === undefined ? {} : { lora: loras.join(loraSeparator) };

/** Files used by programs for VoxCPM-ONNX, and settings that its graphs do not store. */
function voxcpmOnnxTexts(
  { tokenizerFiles, config, limits: own }: Checkpoint,
  timesteps: number,
  given: ModelLimits,
): Record<string, string> {
  const { patch_size, feat_dim, max_length, audio_vae_config } = config;
  const svc = configOfLimits(mergeLimits(given, own));
  const settings = { patch_size, feat_dim, max_length, sample_rate: audio_vae_config.sample_rate, timesteps, svc };
  return {
    'tokenizer.json': tokenizerFiles.tokenizer,
    'config.json': `${JSON.stringify(settings, null, 2)}\n`,
  };
}

/**
 * Reads the graphs of earlier steps from a folder.
 *
 * @throws SvcError MODEL_NOT_FOUND if there are none, MODEL_INVALID
 */
export async function workOnFiles(folder: string, step: StepName): Promise<Work> {
  const text =
    (await readFile(join(folder, manifestName), 'utf8').catch(() => undefined)) ?? (await interruptedManifest(folder));
  if (text !== undefined) {
    const manifest = parseManifest(text, `${manifestName} of ${folder}`);
    const { languageModels, flow, schedule, vaeEncoder, vaeDecoder } = manifest;
    const files = [languageModels, flow, schedule, vaeEncoder, vaeDecoder].map(({ file }) => file);
    return { layout: 'default', drafts: await readDrafts(folder, files), texts: {}, manifest };
  }
  if ((await findOnnxLayout(folder)) !== 'voxcpm-onnx') {
    throw new SvcError('MODEL_NOT_FOUND', `${folder} has no ONNX files for step ${step}; run the step build first`);
  }
  const { encoder, decoder, prefill, step: decodeStep } = voxcpmOnnxFiles;
  return {
    layout: 'voxcpm-onnx',
    drafts: await readDrafts(folder, [encoder, decoder, prefill, decodeStep]),
    texts: {},
  };
}

async function readDrafts(folder: string, files: readonly string[]): Promise<GraphDraft[]> {
  const drafts: GraphDraft[] = [];
  for (const file of files) drafts.push(await readDraft(folder, file));
  return drafts;
}

/** The precisions stored in files; files of other exporters are float32. */
const parseTypes = (text: string | undefined): StagePrecisions =>
  text === undefined ? modelPrecisions.f32 : parsePrecisions(text);

export const typesOf = ({ drafts }: Work): StagePrecisions => parseTypes(drafts[0]?.metadata.types);
