/** Reads the header of a GGUF file, version 2 or 3: metadata and tensor table (ggml `docs/gguf.md`). */
import type { FileHandle } from 'node:fs/promises';
import { SvcError } from '../errors.ts';
import { refuseLfsPointer } from '../lfs-pointer.ts';

export type GgufValue = number | bigint | string | boolean | readonly GgufValue[];

export interface GgufTensorInfo {
  readonly name: string;
  /** ggml's name of the type. */
  readonly type: string;
  /** Outermost dimension first. */
  readonly shape: readonly number[];
  /** Offset of the first byte from `dataOffset`. */
  readonly offset: number;
}

export interface GgufHeader {
  readonly version: number;
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensorInfo[];
  /** Offset of the tensor data in the file. */
  readonly dataOffset: number;
}

/** `enum ggml_type`; unknown ids are shown as numbers. */
const tensorTypes: Readonly<Record<number, string>> = {
  ...{ 0: 'f32', 1: 'f16', 2: 'q4_0', 3: 'q4_1', 6: 'q5_0', 7: 'q5_1', 8: 'q8_0' },
  ...{ 10: 'q2_k', 11: 'q3_k', 12: 'q4_k', 13: 'q5_k', 14: 'q6_k' },
  ...{ 24: 'i8', 25: 'i16', 26: 'i32', 27: 'i64', 28: 'f64', 30: 'bf16' },
};

/** Sizes and values of scalars in the metadata, by type; there are strings (8) and arrays (9) too. */
const scalars: Readonly<Record<number, readonly [bytes: number, read: (view: DataView, at: number) => GgufValue]>> = {
  0: [1, (view, at) => view.getUint8(at)],
  1: [1, (view, at) => view.getInt8(at)],
  2: [2, (view, at) => view.getUint16(at, true)],
  3: [2, (view, at) => view.getInt16(at, true)],
  4: [4, (view, at) => view.getUint32(at, true)],
  5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)],
  7: [1, (view, at) => view.getUint8(at) !== 0],
  10: [8, (view, at) => view.getBigUint64(at, true)],
  11: [8, (view, at) => view.getBigInt64(at, true)],
  12: [8, (view, at) => view.getFloat64(at, true)],
};

/** Initial guess of the header length; longer headers, with large vocabularies, are read again. */
const firstRead = 8 * 1024 * 1024;
const longestHeader = 128 * 1024 * 1024;
const deepestArray = 4;
/** Far above the largest vocabularies and models. */
const maxValues = 2 ** 23;
const maxTensors = 65_536;
const largestAlignment = 65_536;

/** Thrown when the header is longer than the bytes read. */
class EndOfBytes extends Error {}

/** Creates the error for a problem of the file. */
type Invalid = (problem: string) => SvcError;

class Reader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  readonly #invalid: Invalid;
  #at = 0;
  /** Number of values in all arrays, limited as JavaScript values take many times their bytes. */
  #values = 0;

  constructor(bytes: Uint8Array, invalid: Invalid) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#invalid = invalid;
  }

  #take(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new EndOfBytes();
    this.#at += length;
    return start;
  }

  /** The current position, rounded up to the alignment. */
  position = (alignment: number): number => Math.ceil(this.#at / alignment) * alignment;

  u32 = (): number => this.#view.getUint32(this.#take(4), true);

  /** Reads a length or count; each element takes at least one byte. */
  count(what: string): number {
    const value = this.#view.getBigUint64(this.#take(8), true);
    if (value <= BigInt(longestHeader)) return Number(value);
    throw this.#invalid(`the header claims ${value} ${what}, more than ${longestHeader}`);
  }

  text(): string {
    const length = this.count('bytes of a string');
    const start = this.#take(length);
    return new TextDecoder().decode(this.#bytes.subarray(start, start + length));
  }

  value(type: number, depth = 0): GgufValue {
    if (type === 8) return this.text();
    if (type === 9) return this.#array(depth);
    const scalar = scalars[type];
    if (scalar === undefined) throw this.#invalid(`unknown metadata type ${type}`);
    const [bytes, read] = scalar;
    return read(this.#view, this.#take(bytes));
  }

  #array(depth: number): GgufValue {
    if (depth >= deepestArray) throw this.#invalid(`arrays are nested more than ${deepestArray} deep`);
    const element = this.u32();
    const length = this.count('values of an array');
    this.#values += length;
    if (this.#values > maxValues) throw this.#invalid(`arrays have more than ${maxValues} values`);
    const values: GgufValue[] = [];
    for (let index = 0; index < length; index += 1) values.push(this.value(element, depth + 1));
    return values;
  }

  tensor(): GgufTensorInfo {
    const name = this.text();
    const dimensions = this.u32();
    if (dimensions > 8) throw this.#invalid(`a tensor has ${dimensions} dimensions, more than 8`);
    const shape = Array.from({ length: dimensions }, () => Number(this.#view.getBigUint64(this.#take(8), true)));
    const type = this.u32();
    const offset = Number(this.#view.getBigUint64(this.#take(8), true));
    return { name, type: tensorTypes[type] ?? String(type), shape: shape.reverse(), offset };
  }
}

/** Whether a file starts with the GGUF magic. */
export const isGguf = (start: Uint8Array): boolean => new TextDecoder().decode(start.subarray(0, 4)) === 'GGUF';

/** @throws SvcError MODEL_INVALID */
export async function readGgufHeader(handle: FileHandle, source: string): Promise<GgufHeader> {
  await refuseLfsPointer(handle, source);
  const { size } = await handle.stat();
  const invalid: Invalid = (problem) => new SvcError('MODEL_INVALID', `${source}: ${problem}`);
  for (let length = Math.min(size, firstRead); ; length = Math.min(size, length * 4, longestHeader)) {
    const bytes = new Uint8Array(length);
    const { bytesRead } = await handle.read(bytes, 0, length, 0);
    try {
      return parseHeader(bytes.subarray(0, bytesRead), invalid);
    } catch (error) {
      if (!(error instanceof EndOfBytes)) throw error;
      if (length >= Math.min(size, longestHeader)) throw invalid('the file is truncated: it ends within the header');
    }
  }
}

function parseHeader(bytes: Uint8Array, invalid: Invalid): GgufHeader {
  if (!isGguf(bytes)) throw invalid('not a GGUF file');
  const reader = new Reader(bytes, invalid);
  reader.u32();
  const version = reader.u32();
  if (version !== 2 && version !== 3) throw invalid(`unsupported GGUF version ${version} (supported: 2, 3)`);
  const tensorCount = reader.count('tensors');
  if (tensorCount > maxTensors) throw invalid(`the header claims ${tensorCount} tensors, more than ${maxTensors}`);
  const metadataCount = reader.count('metadata values');
  const metadata = new Map<string, GgufValue>();
  for (let index = 0; index < metadataCount; index += 1) {
    const key = reader.text();
    metadata.set(key, reader.value(reader.u32()));
  }
  const tensors = Array.from({ length: tensorCount }, () => reader.tensor());
  const alignment = metadata.get('general.alignment') ?? 32;
  const isPower = typeof alignment === 'number' && Number.isInteger(Math.log2(alignment));
  // The same limits as the engine.
  if (!isPower || alignment < 8 || alignment > largestAlignment) {
    const received = String(alignment).slice(0, 40);
    throw invalid(`general.alignment must be a power of two from 8 to ${largestAlignment}, got ${received}`);
  }
  return { version, metadata, tensors, dataOffset: reader.position(alignment) };
}
