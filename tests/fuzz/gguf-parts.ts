/** Parses GGUF files into parts and assembles them, also in invalid ways. */

export interface Value {
  readonly key: string;
  readonly type: number;
  /** Raw value; for arrays with element type and length. */
  readonly bytes: Buffer;
}

export interface Tensor {
  readonly name: string;
  readonly dimensions: readonly bigint[];
  readonly type: number;
  readonly offset: bigint;
}

/** Parts of a file, possibly inconsistent. */
export interface Parts {
  readonly magic: string;
  readonly version: number;
  /** As stated in the header. */
  readonly tensorCount: bigint;
  readonly valueCount: bigint;
  readonly values: readonly Value[];
  readonly tensors: readonly Tensor[];
  readonly alignment: number;
  readonly data: Buffer;
}

/** Bytes of a metadata value, by type. */
export const widths: Readonly<Record<number, number>> = { ...[1, 1, 2, 2, 4, 4, 4, 1], ...{ 10: 8, 11: 8, 12: 8 } };
/** Metadata types. */
export const float32 = 6;
export const uint32 = 4;
export const text = 8;
export const array = 9;

export function parse(file: Buffer): Parts & { readonly headerBytes: number } {
  let at = 24;
  const take = (length: number): number => {
    at += length;
    return at - length;
  };
  const u32 = (): number => file.readUInt32LE(take(4));
  const u64 = (): bigint => file.readBigUInt64LE(take(8));
  const string = (): string => {
    const length = Number(u64());
    return file.toString('utf8', take(length), at);
  };
  const skip = (type: number): void => {
    if (type === text) string();
    else if (type === array) {
      const element = u32();
      for (let count = Number(u64()); count > 0; count -= 1) skip(element);
    } else at += widths[type] ?? 0;
  };
  const [tensorCount, valueCount] = [file.readBigUInt64LE(8), file.readBigUInt64LE(16)];
  const values = Array.from({ length: Number(valueCount) }, () => {
    const key = string();
    const type = u32();
    const start = at;
    skip(type);
    return { key, type, bytes: file.subarray(start, at) };
  });
  const tensors = Array.from({ length: Number(tensorCount) }, () => ({
    name: string(),
    dimensions: Array.from({ length: u32() }, u64),
    type: u32(),
    offset: u64(),
  }));
  const headerBytes = Math.ceil(at / 32) * 32;
  const data = file.subarray(headerBytes);
  return { magic: 'GGUF', version: 3, tensorCount, valueCount, values, tensors, alignment: 32, data, headerBytes };
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return bytes;
}

export const string = (value: string): Buffer =>
  Buffer.concat([u64(BigInt(Buffer.byteLength(value))), Buffer.from(value)]);

export function serialize(parts: Parts): Buffer {
  const { magic, version, tensorCount, valueCount, values, tensors, alignment, data } = parts;
  const header = Buffer.concat([
    Buffer.from(magic),
    u32(version),
    u64(tensorCount),
    u64(valueCount),
    ...values.flatMap(({ key, type, bytes }) => [string(key), u32(type), bytes]),
    ...tensors.flatMap(({ name, dimensions, type, offset }) => [
      string(name),
      u32(dimensions.length),
      ...dimensions.map(u64),
      u32(type),
      u64(offset),
    ]),
  ]);
  const padding = Buffer.alloc(Math.ceil(header.length / alignment) * alignment - header.length);
  return Buffer.concat([header, padding, data]);
}
