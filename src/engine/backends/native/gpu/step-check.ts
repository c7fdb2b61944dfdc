/** Compares a model on a device with the same on the CPU: recordings, prefixes, steps of a batch, and audio. */
import { join } from 'node:path';
import { SvcError } from '../../../../errors.ts';
import { findPackage } from '../../../../package/package-root.ts';
import { seededNoise } from '../../../noise.ts';
import type { Addon, NativeModel } from '../addon.ts';
import { trustedKernels } from '../trusted-kernels.ts';

/** Text of two utterances that share their steps; the first is multiplied by the kernels for many columns. */
const positions = [40, 5] as const;
const promptPatches = 2;
const timesteps = 3;

/**
 * Largest error, as the RMS of the difference relative to that of the values. Devices round differently, and a flipped rounding
 * in the quantizer changes a patch; unrelated patches differ by 1.4. The next patch follows from the first, so that it must only
 * be finite. Measured on the model of a GPU: 0.002, 0.001, 0.07.
 */
const limits = { latents: 0.05, samples: 0.05, patch: 0.25, 'next patch': 10 } as const;
type Part = keyof typeof limits;
type Outputs = readonly (readonly [Part, Float32Array])[];

/** @throws SvcError BACKEND_UNAVAILABLE if the outputs differ; errors of the device */
export async function checkStep(addon: Addon, device: string, engine: string): Promise<void> {
  const expected = await speak(addon, 'CPU', trustedKernels(addon));
  const found = await speak(addon, device, engine);
  for (const [index, [part, values]] of expected.entries()) {
    const error = relativeError(found[index]?.[1], values);
    if (error <= limits[part]) continue;
    throw new SvcError('BACKEND_UNAVAILABLE', `wrong results (${part} differs by ${(100 * error).toFixed(0)} %)`);
  }
}

async function speak(addon: Addon, device: string, kernels: string): Promise<Outputs> {
  const path = join(findPackage().root, 'models', 'demo.gguf');
  const model = await addon.openModel(path, device, 1, kernels);
  try {
    await model.load();
    return await computeAll(model);
  } finally {
    await model.close();
  }
}

async function computeAll(model: NativeModel): Promise<Outputs> {
  const { patchSize, featureDim, encodeHop } = model.info;
  const noise = seededNoise(1);
  const encoding = await model.openEncoding(
    noise.next(patchSize * promptPatches * encodeHop).map((value) => value / 4),
  );
  const outputs: [Part, Float32Array][] = [['latents', await model.encode(encoding)]];
  await model.closeEncoding(encoding);
  const sessions: number[] = [];
  for (const length of positions) sessions.push(await openSession(model, length));
  for (const part of ['patch', 'next patch'] as const) {
    const given = (): Float32Array[] => sessions.map(() => noise.next(patchSize * featureDim));
    for (const { patch } of await model.step(sessions, given(), 'plain')) outputs.push([part, patch]);
    // Not what was generated, which may differ.
    for (const samples of await model.decode(sessions, given())) outputs.push(['samples', samples]);
  }
  return outputs;
}

/** Text, then audio. */
async function openSession(model: NativeModel, length: number): Promise<number> {
  const { patchSize, featureDim, vocabSize } = model.info;
  const audioMask = Uint8Array.from({ length: length + promptPatches }, (_, index) => (index < length ? 0 : 1));
  const session = await model.open({
    tokens: Int32Array.from(audioMask, (isAudio, index) => (isAudio ? 0 : (7 * index + 50) % vocabSize)),
    audioMask,
    features: seededNoise(length).next(promptPatches * patchSize * featureDim),
    cfg: 2,
    timesteps,
  });
  while (!(await model.prefill(session)));
  return session;
}

function relativeError(values: Float32Array | undefined, expected: Float32Array): number {
  if (values?.length !== expected.length) return Number.POSITIVE_INFINITY;
  let squares = 0;
  let errors = 0;
  for (const [index, value] of expected.entries()) {
    squares += value ** 2;
    errors += (value - (values[index] ?? Number.NaN)) ** 2;
  }
  const error = Math.sqrt(errors / squares);
  return Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
}
