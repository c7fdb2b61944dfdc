/** A small GGUF reader for tests: all keys, and all tensors with their bytes. */
import { readFile } from 'node:fs/promises';

export interface ReadTensor {
  /** As in the file: innermost dimension first. */
  readonly dimensions: readonly number[];
  readonly type: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export interface ReadGguf {
  readonly metadata: ReadonlyMap<string, { readonly type: number; readonly value: unknown }>;
  readonly tensors: ReadonlyMap<string, ReadTensor>;
  readonly size: number;
}

/** Bytes and elements per block, by ggml's type id. */
const blocks: Readonly<Record<number, readonly [bytes: number, elements: number]>> = {
  0: [4, 1],
  1: [2, 1],
  2: [18, 32],
  8: [34, 32],
  12: [144, 256],
  26: [4, 1],
  30: [2, 1],
};

export async function readGguf(path: string): Promise<ReadGguf> {
  const buffer = await readFile(path);
  let position = 0;
  const take = (length: number): number => {
    position += length;
    return position - length;
  };
  const u32 = () => buffer.readUInt32LE(take(4));
  const u64 = () => Number(buffer.readBigUInt64LE(take(8)));
  const text = () => {
    const length = u64();
    return buffer.toString('utf8', take(length), position);
  };
  const value = (type: number): unknown => {
    if (type === 4) return u32();
    if (type === 5) return buffer.readInt32LE(take(4));
    if (type === 6) return buffer.readFloatLE(take(4));
    if (type === 7) return buffer.readUInt8(take(1)) === 1;
    if (type === 8) return text();
    if (type === 10) return u64();
    if (type !== 9) throw new Error(`unknown metadata type ${type}`);
    const elementType = u32();
    return { elementType, items: Array.from({ length: u64() }, () => value(elementType)) };
  };
  if (buffer.toString('latin1', take(4), 4) !== 'GGUF' || u32() !== 3) throw new Error('not GGUF 3');
  const [tensorCount, keyCount] = [u64(), u64()];
  const metadata = new Map<string, { type: number; value: unknown }>();
  for (let index = 0; index < keyCount; index += 1) {
    const key = text();
    const type = u32();
    metadata.set(key, { type, value: value(type) });
  }
  const table = Array.from({ length: tensorCount }, () => ({
    name: text(),
    dimensions: Array.from({ length: u32() }, u64),
    type: u32(),
    offset: u64(),
  }));
  const start = Math.ceil(position / 32) * 32;
  const tensors = new Map<string, ReadTensor>();
  for (const { name, dimensions, type, offset } of table) {
    const [bytes, elements] = blocks[type] ?? [0, 1];
    const length = (dimensions.reduce((product, size) => product * size, 1) / elements) * bytes;
    if (start + offset + length > buffer.length) throw new Error(`${name} ends after the file`);
    tensors.set(name, {
      dimensions,
      type,
      offset,
      bytes: new Uint8Array(buffer.subarray(start + offset, start + offset + length)),
    });
  }
  return { metadata, tensors, size: buffer.length };
}

/** The bytes of a tensor. @throws if missing, since two missing tensors would compare as equal */
export function bytesOf(tensor: ReadTensor | undefined): ArrayBuffer {
  if (tensor === undefined) throw new Error('the file has no such tensor');
  return tensor.bytes.slice().buffer as ArrayBuffer;
}

/** The values of an F32 tensor. */
export const floatsOf = (tensor: ReadTensor | undefined): Float32Array => new Float32Array(bytesOf(tensor));
