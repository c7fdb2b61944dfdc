import { expectedTensors } from '../../../export/expected-tensors.ts';
import type { ModelConfig } from '../../../export/model-config.ts';
import type { LoraWeights } from '../../engine/lora/lora-weights.ts';
import { seededNoise } from '../../engine/noise.ts';

/** Sets of matrices: those that the official trainer adapts by default, and those of `enable_proj`. */
export const loraTargets = {
  'lm, dit':
    /^((?:base_lm|residual_lm|feat_decoder\.estimator\.decoder)\.layers\.\d+\.self_attn\.[qkvo]_proj)\.weight$/,
  proj: /^((?:enc_to_lm|lm_to_dit|res_to_dit|fusion_concat)_proj)\.weight$/,
} as const;

export interface SyntheticAdapter {
  readonly targets: readonly (keyof typeof loraTargets)[];
  readonly rank: number;
  readonly seed: number;
  /** Size of the update of a matrix, relative to inputs of variance 1. */
  readonly strength: number;
}

/** An adapter for a model with random factors. */
export function syntheticAdapter(
  config: ModelConfig,
  { targets, rank, seed, strength }: SyntheticAdapter,
): LoraWeights {
  const noise = seededNoise(seed);
  const updates = expectedTensors(config).flatMap(({ name, shape: [outputs = 0, inputs = 0] }) => {
    const target = targets.map((key) => loraTargets[key].exec(name)?.[1]).find((found) => found !== undefined);
    if (target === undefined) return [];
    const a = noise.next(rank * inputs).map((value) => value / Math.sqrt(inputs));
    const b = noise.next(outputs * rank).map((value) => (value * strength) / Math.sqrt(rank));
    return [{ target, rank, a, b }];
  });
  return { scale: 1, updates };
}
