/** Values of random weights, determined by the seed and generated on demand. */
import type { ExpectedTensor } from '../../../export/expected-tensors.ts';
import { seededNoise } from '../../engine/noise.ts';
import { elementCount } from '../../formats/safetensors.ts';

/** Normally distributed values by standard deviation, one value for all, or one value per row. */
export type Values =
  | { readonly deviation: number }
  | { readonly constant: number }
  | { readonly rows: readonly number[] };

/** All tensors share one block of normal values, each from a different offset. */
export const blockElements = 1 << 18;

/** Standard normal values. */
export const normalBlock = (seed: number): Float32Array => seededNoise(seed).next(blockElements);

/** Offset of the n-th tensor in the block; an odd stride visits every offset before repeating one. */
export const placeInBlock = (index: number): number => (index * 7919) % blockElements;

/**
 * The stop head never stops, so that a run has the requested length: silu(1) in every channel, and rows of opposite sign.
 * Norms are one and biases zero; matrices have the deviation of the official initialization.
 */
export function languageValues({ name }: ExpectedTensor): Values {
  if (name === 'stop_proj.weight') return { constant: 0 };
  if (name === 'stop_proj.bias') return { constant: 1 };
  if (name === 'stop_head.weight') return { rows: [0.01, -0.01] };
  if (name.endsWith('norm.weight')) return { constant: 1 };
  return name.endsWith('.bias') ? { constant: 0 } : { deviation: 0.02 };
}

/** Gain of the convolutions' weight normalization, which preserves the magnitude of signals. */
export const convolutionGain = 0.5;

/** Values of the audio VAE with folded weight normalization. */
export function vaeValues({ name, shape, role }: ExpectedTensor): Values {
  if (role === 'convolution') return { deviation: convolutionGain / Math.sqrt(elementCount(shape.slice(1))) };
  return { constant: role === 'alpha' || name.endsWith('scale_embed.weight') ? 1 : 0 };
}
