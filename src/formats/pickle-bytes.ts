/** Reads the operands of pickle opcodes in order. */

/** Throws an error about the file. */
export type Refuse = (problem: string) => never;

export type PickleBytes = ReturnType<typeof readPickleBytes>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Creates a reader that calls `refuse` at the end of the bytes. */
export function readPickleBytes(bytes: Uint8Array, refuse: Refuse) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = 0;

  const advance = (length: number): number => {
    const start = position;
    if (length > bytes.length - start) refuse('it is truncated');
    position += length;
    return start;
  };
  /** UTF-8 text of `length` bytes. */
  const text = (length: number): string => {
    const start = advance(length);
    try {
      return utf8.decode(bytes.subarray(start, start + length));
    } catch {
      return refuse('a string is not valid UTF-8');
    }
  };
  return {
    u8: () => view.getUint8(advance(1)),
    u16: () => view.getUint16(advance(2), true),
    u32: () => view.getUint32(advance(4), true),
    /** Exact below 2^53. */
    u64: () => Number(view.getBigUint64(advance(8), true)),
    i32: () => view.getInt32(advance(4), true),
    f64: () => view.getFloat64(advance(8), false),
    /** A signed integer of up to 8 bytes. */
    integer(length: number): number {
      if (length > 8) refuse(`an integer has ${length} bytes, more than 8`);
      const start = advance(length);
      let value = 0n;
      for (let index = 0; index < length; index += 1) value |= BigInt(bytes[start + index] ?? 0) << BigInt(8 * index);
      const number = Number(BigInt.asIntN(8 * length, value));
      return Number.isSafeInteger(number) ? number : refuse(`the integer ${number} is not below 2^53`);
    },
    text,
    /** Text up to the end of the line. */
    line(): string {
      const end = bytes.indexOf(10, position);
      if (end < 0) return refuse('it is truncated');
      const found = text(end - position);
      position += 1;
      return found;
    },
    /** Position of the next byte. */
    position: () => position,
  };
}
