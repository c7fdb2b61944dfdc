/** The values of random weights: the same for the same seed, and made as they are read. */
import type { ExpectedTensor } from '../../export/expected-tensors.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { elementCount } from '../../src/formats/safetensors.ts';

/** Standard deviation of normal values, one value for all, or one value a row. */
export type Values =
  | { readonly deviation: number }
  | { readonly constant: number }
  | { readonly rows: readonly number[] };

/** One block of normal values serves every tensor, from another place each time: weights need no more independence. */
export const blockElements = 1 << 18;

/** Standard normal values. */
export const normalBlock = (seed: number): Float32Array => seededNoise(seed).next(blockElements);

/** Where the values of the n-th tensor begin in the block: an odd stride visits every place before it comes back to one. */
export const placeInBlock = (index: number): number => (index * 7919) % blockElements;

/**
 * The stop head says "go on" whatever it sees, so that a run is as long as it was asked to be: silu(1) in every channel,
 * and rows of opposite sign. Norms are one and biases zero; matrices have the deviation of the official initialisation.
 */
export function languageValues({ name }: ExpectedTensor): Values {
  if (name === 'stop_proj.weight') return { constant: 0 };
  if (name === 'stop_proj.bias') return { constant: 1 };
  if (name === 'stop_head.weight') return { rows: [0.01, -0.01] };
  if (name.endsWith('norm.weight')) return { constant: 1 };
  return name.endsWith('.bias') ? { constant: 0 } : { deviation: 0.02 };
}

/** Gain of a convolution's weight normalisation: it keeps the size of what passes through. */
export const convolutionGain = 0.5;

/** Of the audio VAE, weight normalisation folded. */
export function vaeValues({ name, shape, role }: ExpectedTensor): Values {
  if (role === 'convolution') return { deviation: convolutionGain / Math.sqrt(elementCount(shape.slice(1))) };
  return { constant: role === 'alpha' || name.endsWith('scale_embed.weight') ? 1 : 0 };
}
