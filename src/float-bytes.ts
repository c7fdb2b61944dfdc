/** Float32 values as bytes, for databases and brokers: little-endian, as all supported processors have them. */

/** A view, not a copy. */
export const bytesOf = (values: Float32Array): Buffer =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/** A copy: bytes that were received need not lie where float32 values may. */
export const floatsOf = (bytes: Uint8Array): Float32Array => new Float32Array(new Uint8Array(bytes).buffer);
