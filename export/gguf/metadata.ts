/** Encodes metadata values of a GGUF file. */

export type MetadataEntry = readonly [key: string, value: GgufValue];

export type GgufValue =
  | { readonly type: 'u32' | 'i32' | 'f32' | 'u64' | 'i64'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'i32[]' | 'f32[]'; readonly value: readonly number[] }
  | { readonly type: 'string[]'; readonly value: readonly string[] };

export const u32 = (value: number): GgufValue => ({ type: 'u32', value });
export const f32 = (value: number): GgufValue => ({ type: 'f32', value });
export const text = (value: string): GgufValue => ({ type: 'string', value });
export const texts = (value: readonly string[]): GgufValue => ({ type: 'string[]', value });

/** Descriptions of the LoRA adapters that the matrices include. */
export const loraKey = 'svc.loras';

/** `enum gguf_type`. */
const typeIds = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9, u64: 10, i64: 11 } as const;

const number = (bytes: number, write: (buffer: Buffer) => void): Buffer => {
  const buffer = Buffer.alloc(bytes);
  write(buffer);
  return buffer;
};

export const encodeU32 = (value: number): Buffer => number(4, (buffer) => buffer.writeUInt32LE(value));
export const encodeU64 = (value: number): Buffer => number(8, (buffer) => buffer.writeBigUInt64LE(BigInt(value)));

/** Encodes a string: length in UTF-8 bytes, then the bytes. */
export function encodeString(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([encodeU64(bytes.length), bytes]);
}

function encodeArray(elementType: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([encodeU32(typeIds.array), encodeU32(elementType), encodeU64(items.length), ...items]);
}

const encodeScalar = (type: 'u32' | 'i32' | 'f32' | 'u64' | 'i64', value: number): Buffer => {
  switch (type) {
    case 'u32':
      return encodeU32(value);
    case 'i32':
      return number(4, (buffer) => buffer.writeInt32LE(value));
    case 'f32':
      return number(4, (buffer) => buffer.writeFloatLE(value));
    case 'u64':
      return encodeU64(value);
    case 'i64':
      return number(8, (buffer) => buffer.writeBigInt64LE(BigInt(value)));
  }
};

function encodeValue(entry: GgufValue): Buffer {
  switch (entry.type) {
    case 'bool':
      return Buffer.concat([encodeU32(typeIds.bool), Buffer.from([entry.value ? 1 : 0])]);
    case 'string':
      return Buffer.concat([encodeU32(typeIds.string), encodeString(entry.value)]);
    case 'string[]':
      return encodeArray(typeIds.string, entry.value.map(encodeString));
    case 'i32[]':
      return encodeArray(
        typeIds.i32,
        entry.value.map((value) => encodeScalar('i32', value)),
      );
    case 'f32[]':
      return encodeArray(
        typeIds.f32,
        entry.value.map((value) => encodeScalar('f32', value)),
      );
    default:
      return Buffer.concat([encodeU32(typeIds[entry.type]), encodeScalar(entry.type, entry.value)]);
  }
}

/** Encodes a key and its value. */
export const encodeMetadata = ([key, value]: MetadataEntry): Buffer =>
  Buffer.concat([encodeString(key), encodeValue(value)]);
