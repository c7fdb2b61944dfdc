/** Converts float32 values to bytes for databases and brokers: little-endian, like all supported processors. */

/** Returns a view, not a copy. */
export const bytesOf = (values: Float32Array): Buffer =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/** Returns a copy, as received bytes may not be aligned. */
export const floatsOf = (bytes: Uint8Array): Float32Array => new Float32Array(new Uint8Array(bytes).buffer);
