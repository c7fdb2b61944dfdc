/** Stages of audio output: speed, sample rate, encoding. */
import { concatenate } from '../float-arrays.ts';

/** Accepts pieces in order; await each call before the next. The caller owns the returned values. */
export interface Transform<Input, Output> {
  /** Returns the output so far, which may lag behind the input. */
  push(input: Input): Output;
  /** Returns the rest. No push may follow. */
  flush(): Output;
  /** Frees its resources; at any time, idempotent. Never throws. */
  close(): void;
}

/** A transform of mono samples. */
export type SampleTransform = Transform<Float32Array, Float32Array>;

/** Encoded bytes to append, or to write at `position`, such as sizes in a header. */
export type EncodedBytes = { readonly bytes: Uint8Array; readonly position?: number };

export type Encoded = readonly EncodedBytes[];

/**
 * Encodes mono samples, clipped to [-1, 1], and returns bytes as soon as available. Without the bytes that have a
 * position, the output is a complete stream with unknown sizes.
 */
export type Encoder = Transform<Float32Array, Encoded | Promise<Encoded>>;

export const unchanged: SampleTransform = {
  push: (samples) => samples,
  flush: () => new Float32Array(0),
  close: () => undefined,
};

/** Connects the output of the first transform to the second. */
export const chain = (first: SampleTransform, second: SampleTransform): SampleTransform => ({
  push: (samples) => second.push(first.push(samples)),
  flush: () => concatenate([second.push(first.flush()), second.flush()]),
  close() {
    first.close();
    second.close();
  },
});
