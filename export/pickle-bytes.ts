/** The operands of a pickle's opcodes, in the order in which they stand. */

/** Throws what is wrong with the file. */
export type Refuse = (expected: string, received: string) => never;

export interface PickleBytes {
  u8(): number;
  u16(): number;
  u32(): number;
  /** Exact below 2^53. */
  u64(): number;
  i32(): number;
  f64(): number;
  /** A signed integer of so many bytes, of which it takes at most 8. */
  integer(length: number): number;
  /** UTF-8 of so many bytes. */
  text(length: number): string;
  /** Text up to the end of the line. */
  line(): string;
  /** Of the next byte. */
  position(): number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads from the first byte on; past the last one `refuse` is called. */
export function readPickleBytes(bytes: Uint8Array, refuse: Refuse): PickleBytes {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = 0;

  const advance = (length: number): number => {
    const start = position;
    if (length > bytes.length - start) refuse(`${length} more bytes`, `${bytes.length - start}`);
    position += length;
    return start;
  };
  const text = (length: number): string => {
    const start = advance(length);
    try {
      return utf8.decode(bytes.subarray(start, start + length));
    } catch {
      return refuse('UTF-8 text', 'other bytes');
    }
  };
  return {
    u8: () => view.getUint8(advance(1)),
    u16: () => view.getUint16(advance(2), true),
    u32: () => view.getUint32(advance(4), true),
    u64: () => Number(view.getBigUint64(advance(8), true)),
    i32: () => view.getInt32(advance(4), true),
    f64: () => view.getFloat64(advance(8), false),
    integer(length) {
      if (length > 8) refuse('integers of at most 8 bytes', `one of ${length}`);
      const start = advance(length);
      let value = 0n;
      for (let index = 0; index < length; index += 1) value |= BigInt(bytes[start + index] ?? 0) << BigInt(8 * index);
      const number = Number(BigInt.asIntN(8 * length, value));
      return Number.isSafeInteger(number) ? number : refuse('integers below 2^53', `${number}`);
    },
    text,
    line() {
      const end = bytes.indexOf(10, position);
      if (end < 0) return refuse('the end of a line', 'the end of the file');
      const found = text(end - position);
      position += 1;
      return found;
    },
    position: () => position,
  };
}
