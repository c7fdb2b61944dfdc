/** The safetensors format: an 8-byte little-endian header length, a JSON header, then the tensor data without gaps. */
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { SvcError } from '../errors.ts';
import { refuseLfsPointer } from '../lfs-pointer.ts';

/** Supported element types with their size in bytes. */
export const elementBytes = {
  ...{ F64: 8, F32: 4, F16: 2, BF16: 2 },
  ...{ I64: 8, I32: 4, I16: 2, I8: 1 },
  ...{ U64: 8, U32: 4, U16: 2, U8: 1, BOOL: 1 },
};

export type ElementType = keyof typeof elementBytes;

export interface SafetensorsEntry {
  readonly name: string;
  readonly dtype: ElementType;
  /** Outermost dimension first. */
  readonly shape: readonly number[];
  /** Offset of the first byte in the file. */
  readonly offset: number;
}

/** The limit of the official implementation. */
const longestHeader = 100_000_000;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().min(0)).max(16),
  data_offsets: z.tuple([z.number().int().min(0), z.number().int().min(0)]),
});

const isElementType = (dtype: string): dtype is ElementType => Object.hasOwn(elementBytes, dtype);

/** Number of elements of a shape; not a safe integer if it overflows. */
export const elementCount = (shape: readonly number[]): number =>
  shape.reduce((product, length) => product * length, 1);

/** The tensors in file order, which must cover the file without gaps or overlaps. @throws SvcError MODEL_INVALID */
export async function readSafetensorsHeader(handle: FileHandle, source: string): Promise<SafetensorsEntry[]> {
  await refuseLfsPointer(handle, source);
  const { size } = await handle.stat();
  const prefix = Buffer.alloc(8);
  if (size < 8 || (await handle.read(prefix, 0, 8, 0)).bytesRead < 8)
    throw invalid(source, `not a safetensors file (${size} bytes)`);
  const headerBytes = prefix.readBigUInt64LE();
  if (headerBytes > BigInt(Math.min(longestHeader, size - 8)))
    throw invalid(source, `invalid header length ${headerBytes} in a file of ${size} bytes`);
  const bytes = Buffer.alloc(Number(headerBytes));
  if ((await handle.read(bytes, 0, bytes.length, 8)).bytesRead < bytes.length)
    throw invalid(source, 'the file is truncated: it ends within the header');
  const entries = parseHeader(bytes, source, 8 + bytes.length);
  requireExactCover(entries, 8 + bytes.length, size, source);
  return entries;
}

export const invalid = (source: string, problem: string, cause?: unknown): SvcError =>
  new SvcError('MODEL_INVALID', `${source}: ${problem}`, { cause });

function parseHeader(bytes: Buffer, source: string, dataStart: number): SafetensorsEntry[] {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid(source, 'the header is not valid JSON');
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw invalid(source, 'the header must be a JSON object');
  const entries: SafetensorsEntry[] = [];
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const parsed = entrySchema.safeParse(value);
    if (!parsed.success) throw invalid(source, `invalid dtype, shape or data_offsets of tensor ${quoted(name)}`);
    const { dtype, shape, data_offsets: offsets } = parsed.data;
    if (!isElementType(dtype)) throw invalid(source, `unknown dtype ${quoted(dtype)} of tensor ${quoted(name)}`);
    const byteCount = elementCount(shape) * elementBytes[dtype];
    if (!Number.isSafeInteger(byteCount) || offsets[1] - offsets[0] !== byteCount)
      throw invalid(source, `tensor ${quoted(name)} has ${offsets[1] - offsets[0]} bytes, expected ${byteCount}`);
    entries.push({ name, dtype, shape, offset: dataStart + offsets[0] });
  }
  return entries.sort((left, right) => left.offset - right.offset || endOf(left) - endOf(right));
}

const endOf = (entry: SafetensorsEntry): number => entry.offset + elementCount(entry.shape) * elementBytes[entry.dtype];

function requireExactCover(entries: readonly SafetensorsEntry[], start: number, size: number, source: string): void {
  let position = start;
  for (const entry of entries) {
    if (entry.offset !== position) {
      const kind = entry.offset < position ? 'an overlap' : 'a gap';
      throw invalid(source, `${kind} between tensors before ${quoted(entry.name)}`);
    }
    position = endOf(entry);
  }
  if (position !== size) {
    throw invalid(
      source,
      `${position > size ? 'the file is truncated: it' : 'it'} has ${size} bytes, expected ${position}`,
    );
  }
}

/** Quotes a name from a file for a message: bounded, one line. */
const quoted = (name: string): string => JSON.stringify(name.slice(0, 120));
