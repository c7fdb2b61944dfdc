/** What audio goes through on its way out: speed, sample rate, encoding. */
import { concatenate } from '../concatenate.ts';

/** Takes pieces in order, each call awaited before the next. What it returns is the caller's. */
export interface Transform<Input, Output> {
  /** What has come out by now, often a little later than what went in. */
  push(input: Input): Output;
  /** The rest. Nothing is pushed afterwards. */
  flush(): Output;
  /** Gives back what it holds; at any time, more than once. Never throws. */
  close(): void;
}

/** Mono samples in and out. */
export type SampleTransform = Transform<Float32Array, Float32Array>;

/** Bytes of a format, for the end of the file or in place of what is at `position`, such as sizes in a header. */
export interface EncodedBytes {
  readonly bytes: Uint8Array;
  readonly position?: number;
}

export type Encoded = readonly EncodedBytes[];

/**
 * Mono samples in [-1, 1] in, clipped beyond; bytes out as soon as there are some. Without those that have a position the
 * bytes are what a stream of the format is: complete, sizes unknown.
 */
export type Encoder = Transform<Float32Array, Encoded | Promise<Encoded>>;

export const unchanged: SampleTransform = {
  push: (samples) => samples,
  flush: () => new Float32Array(0),
  close: () => undefined,
};

/** What comes out of the first goes into the second. */
export const chain = (first: SampleTransform, second: SampleTransform): SampleTransform => ({
  push: (samples) => second.push(first.push(samples)),
  flush: () => concatenate([second.push(first.flush()), second.flush()]),
  close() {
    first.close();
    second.close();
  },
});
