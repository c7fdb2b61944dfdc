import type { Backend } from '../../src/engine/backend.ts';
import { seededNoise } from '../../src/engine/noise.ts';

function requireFinite(values: Float32Array, what: string): void {
  if (values.every((value) => Number.isFinite(value))) return;
  throw new Error(`${what} of a model that loads must be finite`);
}

/** Encodes a recording, generates and decodes two patches; throws if any value is not finite. */
export async function useBackend(backend: Backend, { timesteps }: { readonly timesteps: number }): Promise<void> {
  const { patchSize, featureDim, inputPatchSamples } = backend.info;
  const values = patchSize * featureDim;
  const latents = await backend.encode(seededNoise(1).next(Math.min(inputPatchSamples, 48_000)));
  requireFinite(latents, 'latents');
  const tokens = Int32Array.of(1, 2, 3, 0);
  const prefix = { tokens, audioMask: Uint8Array.of(0, 0, 0, 1), features: seededNoise(2).next(values) };
  const session = await backend.open({ ...prefix, cfg: 2, timesteps });
  try {
    for (const seed of [3, 4]) {
      const [step] = await backend.step([{ session, noise: seededNoise(seed).next(values) }]);
      requireFinite(step?.patch ?? new Float32Array([Number.NaN]), 'a patch');
      const [samples] = await backend.decode([{ session, patches: step?.patch ?? new Float32Array(0) }]);
      requireFinite(samples ?? new Float32Array([Number.NaN]), 'samples');
    }
  } finally {
    await session.close();
  }
}
