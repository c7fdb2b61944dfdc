/** From an official checkpoint to a folder of ONNX graphs that holds everything: graphs, weights, tokenizer, manifest. */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, manifestName } from '../../src/engine/backends/onnx/manifest.ts';
import { SvcError } from '../../src/errors.ts';
import { findPackage } from '../../src/model/package-root.ts';
import { type Checkpoint, openCheckpoint } from '../checkpoint.ts';
import { matchTensors } from '../expected-tensors.ts';
import type { ExportLimits } from '../export-gguf.ts';
import { checkpointWeights } from './checkpoint-weights.ts';
import { digestFiles } from './file-digests.ts';
import type { GraphBuilder } from './graph.ts';
import { type BuiltLayout, buildLayout, defaultFiles, type Layout } from './layouts.ts';
import { describeModel } from './manifest.ts';
import { optimize } from './optimize.ts';
import type { StagePrecisions } from './precision.ts';
import { fingerprint, openState, type StepName, stepNames } from './steps.ts';
import { defaultTolerances, type Tolerances, validate } from './validate.ts';
import { weightBytes } from './weight.ts';
import { writeModel } from './writer.ts';

export interface OnnxExportProgress {
  readonly step: StepName;
  readonly done: number;
  readonly total: number;
}

export interface OnnxExport {
  /** Directory in the official layout, or one that is open already (which `validate` can't use); it is closed. */
  readonly checkpoint: string | Checkpoint;
  /** Folder to write; made when it is not there. */
  readonly output: string;
  readonly types: StagePrecisions;
  readonly layout?: Layout | undefined;
  /** Fixed in the graphs of layout `variant-c`; the default layout has it as an input. Default: 10. */
  readonly timesteps?: number | undefined;
  /** Guidance that `validate` runs with; an input of both layouts. Default: 2. */
  readonly cfg?: number | undefined;
  /** Default: all but `validate`. */
  readonly steps?: readonly StepName[] | undefined;
  readonly tolerances?: Tolerances | undefined;
  readonly limits?: ExportLimits | undefined;
  readonly onProgress?: ((progress: OnnxExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OnnxExportResult {
  /** Bytes of the files that this call wrote. */
  readonly bytes: number;
  readonly files: readonly string[];
  /** Files that an interrupted export had finished already. */
  readonly resumed: readonly string[];
  /** Tensors of the checkpoint that the model does not use. */
  readonly unused: readonly string[];
  /** Largest error of each validated output, as a multiple of what is allowed; undefined when nothing was validated. */
  readonly validated?: Readonly<Record<string, number>> | undefined;
}

/** The steps that write a model. */
export const writingSteps: readonly StepName[] = stepNames.filter((step) => step !== 'validate');

/**
 * Exports a checkpoint. Memory is bounded by the largest matrix, whatever the size of the model; an export that was
 * interrupted goes on after the last file that it finished.
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID (also when `validate` fails), INVALID_REQUEST, CANCELLED, IO
 * @example await exportOnnx({ checkpoint: 'VoxCPM-0.5B', output: 'onnx', types: modelPrecisions.f32 });
 */
export async function exportOnnx(options: OnnxExport): Promise<OnnxExportResult> {
  const { output, types, layout = 'default', timesteps = 10, cfg = 2, signal, onProgress } = options;
  const steps = new Set(options.steps ?? writingSteps);
  await requireFolder(output);
  const checkpoint =
    typeof options.checkpoint === 'string' ? await openCheckpoint(options.checkpoint) : options.checkpoint;
  try {
    const matched = matchTensors(checkpoint.config, checkpoint.tensors);
    const used = new Set(matched.map(({ expected }) => expected.name));
    const unused = [...checkpoint.tensors.keys()].filter((name) => !used.has(name));
    onProgress?.({ step: 'read', done: 1, total: 1 });
    let result: OnnxExportResult = { bytes: 0, files: [], resumed: [], unused };
    if (steps.has('build') || steps.has('quantize')) {
      const built = buildLayout(checkpoint.config, checkpointWeights(matched), { layout, types, timesteps });
      onProgress?.({ step: 'build', done: 1, total: 1 });
      if (steps.has('optimize')) {
        for (const { graph } of built.graphs) optimize(graph);
        onProgress?.({ step: 'optimize', done: 1, total: 1 });
      }
      if (steps.has('quantize')) result = { ...result, ...(await write(checkpoint, built, options)) };
    }
    if (!steps.has('validate')) return result;
    const tolerances = options.tolerances ?? defaultTolerances;
    const settings = { checkpoint: checkpoint.directory, output, types, timesteps, cfg, tolerances, signal };
    const validated = await validate(settings, (done, total) => onProgress?.({ step: 'validate', done, total }));
    return { ...result, validated };
  } finally {
    await checkpoint[Symbol.asyncDispose]();
  }
}

async function requireFolder(output: string): Promise<void> {
  const found = await stat(output).catch(() => undefined);
  if (found && !found.isDirectory()) {
    throw new SvcError('INVALID_REQUEST', `expected a folder for the output, received the file ${output}`);
  }
}

const graphBytes = (graph: GraphBuilder): number =>
  graph.weights.reduce((sum, { weight }) => sum + weightBytes(weight), 0);

type Written = Pick<OnnxExportResult, 'bytes' | 'files' | 'resumed'>;

async function write(checkpoint: Checkpoint, built: BuiltLayout, options: OnnxExport): Promise<Written> {
  const { output, types, layout = 'default', timesteps = 10, signal, onProgress } = options;
  await mkdir(output, { recursive: true }).catch((cause: Error) => {
    throw new SvcError(
      'IO',
      `expected a folder that can be made for the output, received ${output}: ${cause.message}`,
      {
        cause,
      },
    );
  });
  const version = findPackage().version;
  const state = await openState(output, await fingerprint(checkpoint, { layout, types, timesteps, version }));
  const total = built.graphs.reduce((sum, { graph }) => sum + graphBytes(graph), 0);
  let done = 0;
  let bytes = 0;
  const resumed: string[] = [];
  const advance = (count: number): void => {
    done += count;
    onProgress?.({ step: 'quantize', done, total });
  };
  // Without its manifest a folder is no model: an interrupted export is never taken for a whole one.
  await rm(join(output, manifestName), { force: true });
  for (const { file, graph } of built.graphs) {
    if (state.isFinished(file) && (await isComplete(join(output, file), graph))) {
      resumed.push(file);
      advance(graphBytes(graph));
      continue;
    }
    bytes += await writeModel(join(output, file), graph, { version, metadata: { layout }, signal, onBytes: advance });
    await state.finish(file);
  }
  const texts = layout === 'default' ? defaultTexts(checkpoint) : variantCTexts(checkpoint, timesteps);
  for (const [file, text] of Object.entries(texts)) await writeText(join(output, file), text);
  if (layout === 'default') await writeManifest(checkpoint, built, options);
  await state.clear();
  const manifests = layout === 'default' ? [manifestName] : [];
  return { bytes, resumed, files: [...built.graphs.map(({ file }) => file), ...Object.keys(texts), ...manifests] };
}

/** Whether the two files of a graph are there, the weights whole. */
async function isComplete(path: string, graph: GraphBuilder): Promise<boolean> {
  const data = await stat(`${path}.data`).catch(() => undefined);
  return (await stat(path).catch(() => undefined))?.isFile() === true && (data?.size ?? 0) >= graphBytes(graph);
}

const defaultTexts = ({ tokenizerFiles }: Checkpoint): Record<string, string> => ({
  [defaultFiles.tokenizer]: tokenizerFiles.tokenizer,
});

/** The last file: with it the folder is a model. */
async function writeManifest(checkpoint: Checkpoint, built: BuiltLayout, options: OnnxExport): Promise<void> {
  const { output, types, limits = {} } = options;
  const graphs = built.graphs.flatMap(({ file }) => [file, `${file}.data`]);
  const files = await digestFiles(output, [...graphs, defaultFiles.tokenizer]);
  const manifest: Manifest = { ...describeModel(checkpoint, types, built.states, limits), files };
  await writeText(join(output, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** What the programs around VoxCPM-ONNX's files look for, and what its graphs do not say. */
function variantCTexts({ tokenizerFiles, config }: Checkpoint, timesteps: number): Record<string, string> {
  const { patch_size, feat_dim, max_length, audio_vae_config } = config;
  const settings = { patch_size, feat_dim, max_length, sample_rate: audio_vae_config.sample_rate, timesteps };
  return {
    'tokenizer.json': tokenizerFiles.tokenizer,
    'config.json': `${JSON.stringify(settings, null, 2)}\n`,
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
