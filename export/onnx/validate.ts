/**
 * Checks that exported files compute what the checkpoint does.
 *
 * Float32 files are compared with the native engine on random inputs, within a relative and an absolute tolerance.
 *
 * Files with weights below float32 can't be compared that way: rounding changes every value, by how much depends on the
 * weights, and scalar quantization (FSQ) turns small differences into steps. Three checks replace the comparison, each
 * with a bound that follows from the number of bits, and together they leave nothing unchecked:
 *
 * 1. every weight is that of the checkpoint, rounded (`check-weights.ts`: half a step)
 * 2. onnxruntime multiplies by each quantized matrix as by the values that it represents (`check-products.ts`: float32)
 * 3. the same graphs with the checkpoint's float32 weights instead equal the native engine, within the same tolerances
 *    as float32 files
 *
 * The files themselves must run and give finite values; the difference that rounding makes is measured, not judged.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { throwIfCanceled } from '../../src/cancellation.ts';
import type { Backend } from '../../src/engine/backend.ts';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { openOnnxBackend } from '../../src/engine/backends/onnx/open-onnx.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { SvcError } from '../../src/errors.ts';
import type { Checkpoint } from '../checkpoint-source.ts';
import { exportGguf } from '../export-gguf.ts';
import { checkQuantization, type QuantizationErrors, writeRestored } from './check-quantization.ts';
import { loraSeparator, type Work, workOnFiles } from './work.ts';

export interface Tolerances {
  readonly rtol: number;
  readonly atol: number;
  /** Number of random inputs. */
  readonly numTests: number;
}

/** The tolerances of the exporter of VoxCPM-ONNX. */
export const defaultTolerances: Tolerances = { rtol: 1e-3, atol: 1e-4, numTests: 5 };

export interface Validation {
  /** Opens the exported checkpoint. */
  readonly reopen: () => Promise<Checkpoint>;
  /** The exported folder. */
  readonly output: string;
  readonly timesteps: number;
  readonly cfg: number;
  readonly tolerances: Tolerances;
  readonly signal?: AbortSignal | undefined;
}

export interface Validated {
  /** The largest error of each check, relative to its bound. */
  readonly errors: Readonly<Record<string, number>>;
  /** Differences from float32 due to weights and inputs of fewer bits: root mean square, relative to the values. */
  readonly quantization?: Readonly<Record<string, number>> | undefined;
}

type Outputs = Readonly<Record<string, Float32Array>>;

/** Number of text positions of a random prefix. */
const fewestPositions = 4;
const positionSpan = 28;

/**
 * Checks weights and products below float32; compares the first two patches of random texts, and encoder and decoder of
 * the audio VAE, with the native engine.
 *
 * @throws SvcError MODEL_INVALID if an error exceeds its bound; names the weight, node or output
 */
export async function validate(
  validation: Validation,
  onProgress: (done: number, total: number) => void,
): Promise<Validated> {
  const { reopen, output, tolerances, signal } = validation;
  const folder = await mkdtemp(join(tmpdir(), 'svc-validate-'));
  try {
    await using exported = await openOnnxBackend(output, { backend: 'cpu' });
    const checked = await checkWeights(folder, validation);
    const path = join(folder, 'model.gguf');
    await exportGguf({ checkpoint: await reopen(), output: path, type: 'f32', signal });
    await using native = await openNativeBackend(path, { backend: 'cpu' });
    await using restored = checked && (await openOnnxBackend(folder, { backend: 'cpu' }));
    const errors: Record<string, number> = { ...checked };
    const quantization: Record<string, number> = {};
    for (let test = 0; test < tolerances.numTests; test += 1) {
      throwIfCanceled(signal);
      const expected = await compute(native, test, validation);
      const actual = await compute(exported, test, validation);
      const compared = restored ? await compute(restored, test, validation) : actual;
      for (const [name, values] of Object.entries(expected)) {
        const error = pointwise(compared[name] ?? new Float32Array(0), values, tolerances);
        errors[name] = Math.max(errors[name] ?? 0, error);
        if (restored === undefined) continue;
        quantization[name] = Math.max(quantization[name] ?? 0, relativeError(actual[name], values));
      }
      onProgress(test + 1, tolerances.numTests);
    }
    requireSmall(errors, quantization, validation);
    return { errors, quantization: restored && quantization };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Checks the weights and products below float32 and writes the model without them to a folder; undefined if all are. */
async function checkWeights(
  folder: string,
  { reopen, output, timesteps, signal }: Validation,
): Promise<QuantizationErrors | undefined> {
  const work = await workOnFiles(output, 'validate');
  await using checkpoint = await reopen();
  requireAdapters(work, checkpoint, output);
  const checked = await checkQuantization(work, { checkpoint, timesteps, signal });
  if (checked) await writeRestored(folder, output, work, checked.restored);
  return checked?.errors;
}

/** Whether an adapter has the same numbers shows in the comparison. */
function requireAdapters({ drafts }: Work, { loras = [] }: Checkpoint, output: string): void {
  const text = drafts[0]?.metadata.lora;
  const merged = text?.split(loraSeparator) ?? [];
  if (merged.length === loras.length) return;
  const given =
    loras.length === 0 ? 'the checkpoint without adapters' : `the checkpoint with ${loras.join(loraSeparator)}`;
  throw new SvcError(
    'MODEL_INVALID',
    `the exported files in ${output} ${text === undefined ? 'contain no LoRA adapter' : `contain LoRA adapters: ${text}`}; ` +
      `they can't be compared with ${given}; give the --lora options of the export`,
  );
}

async function compute(backend: Backend, test: number, { cfg, timesteps }: Validation): Promise<Outputs> {
  const { patchSize, featureDim, inputPatchSamples } = backend.info;
  const random = seededNoise(1000 + test);
  const patchValues = patchSize * featureDim;
  const [span = 0, ...draws] = random.next(1 + fewestPositions + positionSpan).map((value) => Math.abs(value) % 1);
  const tokens = Int32Array.from({ length: fewestPositions + Math.floor(span * positionSpan) }, (_, index) =>
    Math.floor(3 + (draws[index] ?? 0) * 96),
  );
  const prefix = { tokens, audioMask: new Uint8Array(tokens.length), features: new Float32Array(0) };
  const session = await backend.open({ ...prefix, cfg, timesteps });
  try {
    const outputs: Record<string, Float32Array> = {};
    for (const name of ['first patch', 'second patch']) {
      const [step] = await backend.step([{ session, noise: random.next(patchValues) }]);
      outputs[name] = step?.patch ?? new Float32Array(0);
    }
    const [audio] = await backend.decode([{ session, patches: random.next(3 * patchValues) }]);
    outputs['decoded audio'] = audio ?? new Float32Array(0);
    const samples = random.next(2 * inputPatchSamples + 7).map((value) => value * 0.1);
    outputs['encoded audio'] = await backend.encode(samples);
    return outputs;
  } finally {
    await session.close();
  }
}

/** Root mean square of the difference, relative to the values; infinite if it is no number or the lengths differ. */
function relativeError(actual: Float32Array = new Float32Array(0), expected: Float32Array): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let difference = 0;
  let power = 0;
  for (const [index, value] of expected.entries()) {
    difference += ((actual[index] ?? 0) - value) ** 2;
    power += value ** 2;
  }
  const error = difference === 0 ? 0 : Math.sqrt(difference / power);
  return Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
}

/** The largest error, relative to the tolerance. */
function pointwise(actual: Float32Array, expected: Float32Array, { rtol, atol }: Tolerances): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (const [index, value] of expected.entries()) {
    const error = Math.abs((actual[index] ?? 0) - value) / (atol + rtol * Math.abs(value));
    if (Number.isNaN(error)) return Number.POSITIVE_INFINITY;
    largest = Math.max(largest, error);
  }
  return largest;
}

function requireSmall(errors: Validated['errors'], quantization: Validated['errors'], validation: Validation): void {
  const { tolerances, output } = validation;
  const broken = Object.keys(quantization).find((name) => quantization[name] === Number.POSITIVE_INFINITY);
  if (broken !== undefined) {
    throw new SvcError('MODEL_INVALID', `the exported files in ${output} compute no finite ${broken}`);
  }
  const [name, error] = Object.entries(errors).reduce((a, b) => (b[1] > a[1] ? b : a), ['nothing', 0]);
  if (error <= 1) return;
  const { rtol, atol } = tolerances;
  throw new SvcError(
    'MODEL_INVALID',
    `the exported files in ${output} differ from the native engine: the error of ${name} is ` +
      `${error.toPrecision(3)} times the tolerance (rtol ${rtol}, atol ${atol})`,
  );
}
