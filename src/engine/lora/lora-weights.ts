/**
 * A LoRA adapter: low-rank updates of a model's matrices. A matrix W with an update computes
 * W·x + weight · scale · B·(A·x), where `weight` is chosen per utterance.
 */
export interface LoraWeights {
  /** alpha / rank. */
  readonly scale: number;
  readonly updates: readonly LoraUpdate[];
}

export interface LoraUpdate {
  /**
   * The official name of the matrix without `.weight`, such as `base_lm.layers.0.self_attn.q_proj` or `enc_to_lm_proj`.
   */
  readonly target: string;
  readonly rank: number;
  /** `rank × inputs`, row by row. */
  readonly a: Float32Array;
  /** `outputs × rank`, row by row. */
  readonly b: Float32Array;
}
