/** The seam between encoders, which know formats, and sinks, which know where bytes go. */

/** Takes encoded bytes, in order; resolved when more may come. What it is given stays the caller's afterwards. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** Bytes that belong elsewhere than at the end, such as sizes in a header, where the target can be rewritten. */
export interface Patch {
  readonly position: number;
  readonly bytes: Uint8Array;
}

/**
 * Mono samples in, bytes of a format out as soon as there are some. Calls are awaited one after the other;
 * after `finish` or `close` there are none.
 */
export interface AudioEncoder {
  /** Samples in [-1, 1]; what is beyond is clipped. */
  write(samples: Float32Array): Promise<void>;
  /** Writes what is left. Without the patches the bytes are what a stream of the format is: complete, sizes unknown. */
  finish(): Promise<readonly Patch[]>;
  /** Frees what an encoder holds that is not finished. Never rejects. */
  close(): Promise<void>;
}

export type OpenEncoder = (write: WriteBytes) => Promise<AudioEncoder>;
