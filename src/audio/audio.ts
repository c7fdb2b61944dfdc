export interface Audio {
  /** Mono: the mean of the channels; full scale is 1. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  /** Number of channels of the source. */
  readonly channels: number;
}
