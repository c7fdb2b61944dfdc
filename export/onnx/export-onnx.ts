/** From an official checkpoint to a folder of ONNX graphs that holds everything: graphs, weights, tokenizer, manifest. */
import { stat } from 'node:fs/promises';
import type { ModelLimits } from '../../src/engine/backend.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import { findPackage } from '../../src/package-root.ts';
import { type Checkpoint, openCheckpoint } from '../checkpoint.ts';
import { type MatchedTensor, matchTensors } from '../expected-tensors.ts';
import type { Layout } from './layouts.ts';
import { optimizeOffline } from './offline-optimization.ts';
import { dropUseless } from './optimize.ts';
import { describePrecisions, modelPrecisions, type StagePrecisions } from './precision.ts';
import { quantizeGraph } from './quantize-graph.ts';
import { checkpointSteps, fingerprint, type StepName, stepNames } from './steps.ts';
import { defaultTolerances, type Tolerances, validate } from './validate.ts';
import { savedTypes, typesOf, type Work, workOnCheckpoint, workOnFiles } from './work.ts';
import { type Written, writeWork } from './write-work.ts';

export interface OnnxExportProgress {
  readonly step: StepName;
  readonly done: number;
  readonly total: number;
  /** What is counted; bytes are those of weights that are written. */
  readonly unit: 'bytes' | 'parts';
}

export interface OnnxExport {
  /**
   * Directory in the official layout, or one that is open already (which `validate` can't use); it is closed. The steps
   * `optimize` and `quantize` alone need none.
   */
  readonly checkpoint?: string | Checkpoint | undefined;
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
  readonly limits?: ModelLimits | undefined;
  readonly onProgress?: ((progress: OnnxExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OnnxExportResult {
  /** Bytes of the files that this call wrote. */
  readonly bytes: number;
  readonly files: readonly string[];
  /** Files that were finished already. */
  readonly resumed: readonly string[];
  /** What the matrices of the files are in; undefined when no step wrote files. */
  readonly types?: StagePrecisions | undefined;
  /** Tensors of the checkpoint that the model does not use. */
  readonly unused: readonly string[];
  /** Largest error of each validated output, as a multiple of what is allowed; undefined when nothing was validated. */
  readonly validated?: Readonly<Record<string, number>> | undefined;
}

/** The steps that write a model. */
const writingSteps: readonly StepName[] = stepNames.filter((step) => step !== 'validate');

/**
 * Exports a checkpoint, or goes on with what earlier steps left in the folder. Memory is bounded by the largest matrix,
 * whatever the size of the model; an export that was interrupted goes on after the last file that it finished.
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID (also when `validate` fails), INVALID_REQUEST, CANCELLED, IO
 * @example await exportOnnx({ checkpoint: 'VoxCPM-0.5B', output: 'onnx', types: modelPrecisions.f32 });
 */
export async function exportOnnx(options: OnnxExport): Promise<OnnxExportResult> {
  const steps = new Set(options.steps ?? writingSteps);
  await requireFolder(options.output);
  const [needy] = checkpointSteps.filter((step) => steps.has(step));
  if (needy === undefined) return run(steps, undefined, options);
  if (options.checkpoint === undefined) {
    throw new SvcError('INVALID_REQUEST', `expected a checkpoint for the step ${needy}, received none`);
  }
  const { checkpoint: given } = options;
  await using checkpoint = typeof given === 'string' ? await openCheckpoint(given) : given;
  return await run(steps, checkpoint, options);
}

async function requireFolder(output: string): Promise<void> {
  const found = await stat(output).catch(() => undefined);
  if (found && !found.isDirectory()) {
    throw new SvcError('INVALID_REQUEST', `expected a folder for the output, received the file ${output}`);
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
  const types = result.types ?? (await savedTypes(output));
  const tolerances = options.tolerances ?? defaultTolerances;
  const settings = { checkpoint: checkpoint.directory, output, types, timesteps, cfg, tolerances, signal };
  const report = (done: number, total: number): void => onProgress?.({ step: 'validate', done, total, unit: 'parts' });
  // What was interrupted goes on with its files; what failed begins anew.
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

/** The steps between reading and validating. @returns nothing when none of them was asked for */
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

/** Graphs after the passes that were asked for; those that need none are handed through as they are. */
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
        `expected ${draft.file} in F32 for the step quantize, received ${types}: run the step build again`,
      );
    }
    drafts[index] = quantizeGraph(draft, options.types);
  }
  return { ...work, drafts, manifest: work.manifest && { ...work.manifest, types: options.types } };
}
