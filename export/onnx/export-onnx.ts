/** Exports a checkpoint to an ONNX folder with graphs, weights, tokenizer and manifest. */

import { stat } from 'node:fs/promises';
import type { ModelLimits } from '../../src/engine/backend.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import { findPackage } from '../../src/package/package-root.ts';
import { openCheckpoint } from '../checkpoint.ts';
import type { Checkpoint } from '../checkpoint-source.ts';
import { type MatchedTensor, matchTensors } from '../expected-tensors.ts';
import type { Layout } from './layout-names.ts';
import { optimizeOffline } from './offline-optimization.ts';
import { dropUseless } from './optimize.ts';
import { describePrecisions, modelPrecisions, type StagePrecisions } from './precision.ts';
import type { OnnxExportProgress } from './progress.ts';
import { quantizeGraph } from './quantize-graph.ts';
import { checkpointSteps, fingerprint, type StepName, stepNames } from './steps.ts';
import { defaultTolerances, type Tolerances, type Validated, validate } from './validate.ts';
import { typesOf, type Work, workOnCheckpoint, workOnFiles } from './work.ts';
import { type Written, writeWork } from './write-work.ts';

export interface OnnxExport {
  /**
   * Folder of a checkpoint, or an open checkpoint, which is closed afterwards. Not needed for only `optimize` and
   * `quantize`.
   */
  readonly checkpoint?: string | Checkpoint | undefined;
  /** Output folder; created if missing. */
  readonly output: string;
  readonly types: StagePrecisions;
  readonly layout?: Layout | undefined;
  /** Fixed in the graphs of layout `voxcpm-onnx`, an input of the default layout. Default: 10. */
  readonly timesteps?: number | undefined;
  /** Guidance scale for `validate`; an input of both layouts. Default: 2. */
  readonly cfg?: number | undefined;
  /** Default: all except `validate`. */
  readonly steps?: readonly StepName[] | undefined;
  readonly tolerances?: Tolerances | undefined;
  readonly limits?: ModelLimits | undefined;
  readonly onProgress?: ((progress: OnnxExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OnnxExportResult {
  /** Size of the files written by this call. */
  readonly bytes: number;
  readonly files: readonly string[];
  /** Files that were already complete. */
  readonly resumed: readonly string[];
  /** Precisions of the matrices; undefined if no files were written. */
  readonly types?: StagePrecisions | undefined;
  /** Unused tensors of the checkpoint. */
  readonly unused: readonly string[];
  /** Undefined without validation. */
  readonly validated?: Validated | undefined;
}

/** The steps that write files. */
const writingSteps: readonly StepName[] = stepNames.filter((step) => step !== 'validate');

/**
 * Exports a checkpoint, or continues from the output of earlier steps. Memory is bounded by the largest matrix. An
 * interrupted export continues after the last complete file.
 *
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID (also if `validate` fails), INVALID_REQUEST, CANCELLED, IO
 * @example await exportOnnx({ checkpoint: 'VoxCPM-0.5B', output: 'onnx', types: modelPrecisions.f32 });
 */
export async function exportOnnx(options: OnnxExport): Promise<OnnxExportResult> {
  const steps = new Set(options.steps ?? writingSteps);
  await requireFolder(options.output);
  const [needy] = checkpointSteps.filter((step) => steps.has(step));
  if (needy === undefined) return run(steps, undefined, options);
  if (options.checkpoint === undefined) {
    throw new SvcError('INVALID_REQUEST', `step ${needy} needs a checkpoint`);
  }
  const { checkpoint: given } = options;
  await using checkpoint = typeof given === 'string' ? await openCheckpoint(given) : given;
  return await run(steps, checkpoint, options);
}

async function requireFolder(output: string): Promise<void> {
  const found = await stat(output).catch(() => undefined);
  if (found && !found.isDirectory()) {
    throw new SvcError('INVALID_REQUEST', `the output ${output} must be a folder, not a file`);
  }
}

async function run(
  steps: ReadonlySet<StepName>,
  checkpoint: Checkpoint | undefined,
  options: OnnxExport,
): Promise<OnnxExportResult> {
  const { output, timesteps = 10, cfg = 2, signal, onProgress } = options;
  const matched = checkpoint ? matchTensors(checkpoint.config, checkpoint.tensors) : [];
  const used = new Set(matched.map(({ expected }) => expected.name));
  const unused = [...(checkpoint?.tensors.keys() ?? [])].filter((name) => !used.has(name));
  if (checkpoint) onProgress?.({ step: 'read', done: 1, total: 1, unit: 'parts' });
  const written = await writeFiles(steps, checkpoint && { checkpoint, matched }, options);
  const { clear, ...result } = { bytes: 0, files: [], resumed: [], unused, clear: async () => {}, ...written };
  if (!steps.has('validate') || !checkpoint) {
    await clear();
    return result;
  }
  const tolerances = options.tolerances ?? defaultTolerances;
  const reopen = checkpoint.reopen ?? (() => openCheckpoint(checkpoint.directory));
  const settings = { reopen, output, timesteps, cfg, tolerances, signal };
  const report = (done: number, total: number): void => onProgress?.({ step: 'validate', done, total, unit: 'parts' });
  // An interrupted export continues; a failed validation starts over.
  const validated = await validate(settings, report).catch(async (error: unknown) => {
    if (toSvcError(error).code === 'MODEL_INVALID') await clear();
    throw error;
  });
  await clear();
  return { ...result, validated };
}

interface Read {
  readonly checkpoint: Checkpoint;
  readonly matched: readonly MatchedTensor[];
}

/** Runs the steps between reading and validating. Returns undefined if none is requested. */
async function writeFiles(
  steps: ReadonlySet<StepName>,
  read: Read | undefined,
  options: OnnxExport,
): Promise<(Written & Pick<OnnxExportResult, 'types'>) | undefined> {
  const { output, layout = 'default', timesteps = 10, limits = {}, signal, onProgress } = options;
  const done = stepNames.filter((step) => writesFiles(step) && steps.has(step));
  const [first] = done;
  if (first === undefined) return undefined;
  const source = first === 'build' ? read : undefined;
  const work = source
    ? workOnCheckpoint(source.checkpoint, source.matched, { layout, timesteps, limits })
    : await workOnFiles(output, first);
  if (source) onProgress?.({ step: 'build', done: 1, total: 1, unit: 'parts' });
  const types = steps.has('quantize') ? options.types : typesOf(work);
  const settings = { layout: work.layout, types, timesteps, done, version: findPackage().version };
  const print = await fingerprint(source?.checkpoint, settings);
  const passed = await pass(work, steps, options);
  const step = done.at(-1) ?? first;
  const writing = { output, source: source ? 'checkpoint' : 'files', print, step, signal, onProgress } as const;
  return { ...(await writeWork(work, passed, writing)), types };
}

const writesFiles = (step: StepName): boolean => step !== 'read' && step !== 'validate';

/** Applies the requested passes to the graphs. */
async function pass(work: Work, steps: ReadonlySet<StepName>, options: OnnxExport): Promise<Work> {
  const drafts = [...work.drafts];
  if (steps.has('optimize')) {
    for (const [index, draft] of drafts.entries()) {
      options.signal?.throwIfAborted();
      if (draft.metadata.optimized === undefined) drafts[index] = await optimizeOffline(dropUseless(draft));
      options.onProgress?.({ step: 'optimize', done: index + 1, total: drafts.length, unit: 'parts' });
    }
  }
  if (!steps.has('quantize')) return { ...work, drafts };
  const wanted = describePrecisions(options.types);
  const plain = describePrecisions(modelPrecisions.f32);
  for (const [index, draft] of drafts.entries()) {
    const { types = plain } = draft.metadata;
    if (types === wanted) continue;
    if (types !== plain) {
      throw new SvcError(
        'INVALID_REQUEST',
        `step quantize needs ${draft.file} in F32, but it is ${types}; run the step build again`,
      );
    }
    drafts[index] = quantizeGraph(draft, options.types);
  }
  return { ...work, drafts, manifest: work.manifest && { ...work.manifest, types: options.types } };
}
