import { join } from 'node:path';
import { exportGguf } from '../../export/export-gguf.ts';
import type { WeightType } from '../../export/gguf/tensor-types.ts';
import type { Backend } from '../../src/engine/backend.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import type { BackendName } from '../../src/engine/engine-options.ts';
import { createTokenizer } from '../../src/engine/text/tokenizer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { compareAudioInput, promptPatches } from './audio.ts';
import { type Check, Comparison, exact, finiteOnly, type ToleranceFactors } from './comparison.ts';
import { compareRuns } from './runs.ts';
import { compareStages } from './stages.ts';
import type { Subject } from './subject.ts';
import { compareTexts } from './texts.ts';
import { compareVae } from './vae.ts';

export interface GoldenOptions {
  /** Contains `checkpoint/`, `golden.safetensors`, `golden.json` and WAV files. */
  readonly directory: string;
  /** A GGUF file of the checkpoint; by default exported to a temporary file. */
  readonly model?: string;
  /** Weight type of the exported file. */
  readonly type: WeightType;
  /** Like `--backend` of the command line. */
  readonly backend: BackendName;
  readonly threads: number;
  /** CPU kernels by name; the best of this processor by default. */
  readonly kernels?: string | undefined;
  /** Names of the complete runs to compute; all by default. */
  readonly runs?: readonly string[];
  readonly factors?: ToleranceFactors;
  readonly report?: (check: Check) => void;
}

/**
 * Other devices round differently, some to half precision inside matrix products. One flipped rounding in the quantizer
 * changes a complete run, so its values are only checked to be finite.
 */
const otherDevice: ToleranceFactors = { stages: 500, runs: Number.POSITIVE_INFINITY, streamed: 2e-2 };

/** The CUDA kernels, whose products take weights and inputs of 8 significant bits where others have 11. */
const simt: ToleranceFactors = { ...otherDevice, stages: 750 };

export function factorsFor({
  type,
  backend,
  kernels,
}: Pick<GoldenOptions, 'type' | 'backend' | 'kernels'>): ToleranceFactors {
  if (type !== 'f32') return finiteOnly;
  if (kernels?.startsWith('simt')) return simt;
  return backend === 'cpu' ? exact : otherDevice;
}

/** Runs `use` with a temporary GGUF file of the checkpoint. */
export async function withExported<T>(
  checkpoint: string,
  type: WeightType,
  use: (path: string) => Promise<T>,
): Promise<T> {
  await using folder = await temporaryFolder();

  const output = folder.join(`${type}.gguf`);
  const { quantize } = await loadAddon();
  await exportGguf({ checkpoint, output, type, quantize });
  return await use(output);
}

/** Compares the engine with a complete golden folder. */
export async function compareGolden(options: GoldenOptions): Promise<Comparison> {
  const { directory, model } = options;
  if (model !== undefined) return await compareModel(model, options);
  return await withExported(join(directory, 'checkpoint'), options.type, (path) => compareModel(path, options));
}

/** Compares the model's reported sizes with those derived from its configuration. */
function compareInfo(comparison: Comparison, { info }: Backend): void {
  const { derived, architecture } = comparison.golden;
  const pairs = {
    architecture: [info.architecture, architecture],
    patch_size: [info.patchSize, derived.patch_size],
    feat_dim: [info.featureDim, derived.feat_dim],
    encode_sample_rate: [info.inputSampleRate, derived.encode_sample_rate],
    output_sample_rate: [info.outputSampleRate, derived.output_sample_rate],
    samples_per_patch_in: [info.inputPatchSamples, derived.samples_per_patch_in],
    samples_per_patch_out: [info.patchSamples, derived.samples_per_patch_out],
  };
  for (const [name, [actual, expected]] of Object.entries(pairs))
    comparison.equal(`derived.${name}`, [actual], [expected]);
}

async function compareModel(path: string, options: GoldenOptions): Promise<Comparison> {
  const comparison = new Comparison(
    options.directory,
    options.factors ?? factorsFor(options),
    options.report ?? (() => {}),
  );
  const { backend: name, threads, kernels } = options;
  const backend = await openNativeBackend(path, { backend: name, threads, kernels });
  try {
    return await compareSubject(backend, comparison, options);
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}

/** Compares one opened model with the complete golden folder. */
export async function compareSubject(
  backend: Subject,
  comparison: Comparison,
  { directory, runs, kernels }: Pick<GoldenOptions, 'directory' | 'runs' | 'kernels'>,
): Promise<Comparison> {
  const { model } = backend;
  compareInfo(comparison, backend);
  await compareStages(model, comparison);
  await compareVae(backend, model, comparison, kernels?.startsWith('simt') ?? false);
  const prompts = promptPatches(directory, backend);
  await compareAudioInput(directory, backend, prompts, comparison);
  const tokenizer = createTokenizer((key) => backend.metadata(key));
  compareTexts(tokenizer, comparison);
  await compareRuns({ backend, tokenizer, prompts, comparison }, runs);
  comparison.finish();
  return comparison;
}
