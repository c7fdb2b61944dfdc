/** Compares exported files with the native engine on random inputs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '../../src/engine/backend.ts';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { openOnnxBackend } from '../../src/engine/backends/onnx/open-onnx.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { SvcError } from '../../src/errors.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { exportGguf } from '../export-gguf.ts';
import type { Precision, StagePrecisions } from './precision.ts';

export interface Tolerances {
  readonly rtol: number;
  readonly atol: number;
  /** Number of random inputs. */
  readonly numTests: number;
}

/** The tolerances of the exporter of VoxCPM-ONNX. */
export const defaultTolerances: Tolerances = { rtol: 1e-3, atol: 1e-4, numTests: 5 };

export interface Validation {
  readonly checkpoint: string | Checkpoint;
  /** The exported folder. */
  readonly output: string;
  readonly types: StagePrecisions;
  readonly timesteps: number;
  readonly cfg: number;
  readonly tolerances: Tolerances;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Quantized weights change every value, so the root mean square of the error is compared with that of the values.
 * Random weights reach about half of these bounds.
 */
const rmsBounds: Readonly<Record<Exclude<Precision, 'f32'>, number>> = { f16: 0.01, q8: 0.1, int8: 0.1, q4: 0.6 };

type Outputs = Readonly<Record<string, Float32Array>>;

/** Number of text positions of a random prefix. */
const fewestPositions = 4;
const positionSpan = 28;

/**
 * Compares the first two patches of random texts, and encoder and decoder of the audio VAE, between both engines.
 *
 * @returns the largest error of each output, relative to the tolerance
 * @throws SvcError MODEL_INVALID if an output exceeds the tolerance; names the worst one
 */
export async function validate(
  validation: Validation,
  onProgress: (done: number, total: number) => void,
): Promise<Record<string, number>> {
  const { checkpoint, output, tolerances, signal } = validation;
  const folder = await mkdtemp(join(tmpdir(), 'svc-validate-'));
  try {
    const path = join(folder, 'model.gguf');
    await exportGguf({ checkpoint, output: path, type: 'f32', signal });
    await using native = await openNativeBackend(path, { backend: 'cpu' });
    await using onnx = await openOnnxBackend(output, { backend: 'cpu' });
    const worst: Record<string, number> = {};
    for (let test = 0; test < tolerances.numTests; test += 1) {
      if (signal?.aborted) throw new SvcError('CANCELLED', 'cancelled');
      const expected = await compute(native, test, validation);
      const actual = await compute(onnx, test, validation);
      for (const [name, values] of Object.entries(expected)) {
        const error = excess(name, actual[name] ?? new Float32Array(0), values, validation);
        worst[name] = Math.max(worst[name] ?? 0, error);
      }
      onProgress(test + 1, tolerances.numTests);
    }
    requireSmall(worst, validation);
    return worst;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
  const session = await backend.open(prefix, { cfg, timesteps });
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

/** The error relative to the tolerance. */
function excess(name: string, actual: Float32Array, expected: Float32Array, validation: Validation): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  const { lm, dit, vae } = validation.types;
  const used = name.endsWith('patch') ? [lm, dit] : [vae];
  const bounds = used.flatMap((precision) => (precision === 'f32' ? [] : [rmsBounds[precision]]));
  if (bounds.length === 0) return pointwise(actual, expected, validation.tolerances);
  let difference = 0;
  let power = 0;
  for (const [index, value] of expected.entries()) {
    difference += ((actual[index] ?? 0) - value) ** 2;
    power += value ** 2;
  }
  const error = Math.sqrt(difference / power) / Math.max(...bounds);
  return Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
}

function pointwise(actual: Float32Array, expected: Float32Array, { rtol, atol }: Tolerances): number {
  let largest = 0;
  for (const [index, value] of expected.entries()) {
    const error = Math.abs((actual[index] ?? 0) - value) / (atol + rtol * Math.abs(value));
    if (Number.isNaN(error)) return Number.POSITIVE_INFINITY;
    largest = Math.max(largest, error);
  }
  return largest;
}

function requireSmall(worst: Readonly<Record<string, number>>, { tolerances, output }: Validation): void {
  const [name, error] = Object.entries(worst).reduce((a, b) => (b[1] > a[1] ? b : a), ['nothing', 0]);
  if (error <= 1) return;
  const { rtol, atol } = tolerances;
  throw new SvcError(
    'MODEL_INVALID',
    `the exported files in ${output} differ from the native engine: the error of ${name} is ` +
      `${error.toPrecision(3)} times the tolerance (rtol ${rtol}, atol ${atol})`,
  );
}
