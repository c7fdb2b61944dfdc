/** Bytes of integers, the most significant first. */

function integers(size: number, values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(size * values.length);
  for (const [index, value] of values.entries()) bytes.writeUIntBE(value, size * index, size);
  return bytes;
}

export const u16 = (...values: readonly number[]): Buffer => integers(2, values);
export const u32 = (...values: readonly number[]): Buffer => integers(4, values);
export const u64 = (value: number): Buffer => u32(Math.floor(value / 2 ** 32), value % 2 ** 32);
