/** Precisions of the matrices of an ONNX model, stage by stage. */

/**
 * `q8` and `q4`: blocks of one scale (`MatMulNBits`); `int8`: a scale a column, inputs quantised as they come
 * (`DynamicQuantizeMatMul`).
 */
export const precisions = ['f32', 'f16', 'q8', 'q4', 'int8'] as const;
export type Precision = (typeof precisions)[number];

/** `lm`: both language models, the local encoder and what joins them; `dit`: flow matching; `vae`: the audio VAE. */
export interface StagePrecisions {
  readonly lm: Precision;
  readonly dit: Precision;
  readonly vae: 'f32' | 'f16';
}

/** One precision for all stages that can have it: the audio VAE has no matrices to speak of and is float32 or half. */
export const samePrecision = (precision: Precision): StagePrecisions => ({
  lm: precision,
  dit: precision,
  vae: precision === 'f32' ? 'f32' : 'f16',
});
