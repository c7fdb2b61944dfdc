/** Concatenates arrays of samples or latents to a new array. */
export function concatenate(parts: readonly Float32Array[]): Float32Array {
  const result = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}

/** Float32 values as bytes for databases and brokers, little-endian like all supported processors: a view, not a copy. */
export const bytesOf = (values: Float32Array): Buffer =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/** Float32 values of such bytes: a copy, as received bytes may not be aligned. */
export const floatsOf = (bytes: Uint8Array): Float32Array => new Float32Array(new Uint8Array(bytes).buffer);
