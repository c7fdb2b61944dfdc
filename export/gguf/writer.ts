import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { throwIfCanceled } from '../../src/cancellation.ts';
import { SvcError } from '../../src/errors.ts';
import { diskFull, replaceWhole } from '../../src/files/file-system.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { encodeMetadata, encodeString, encodeU32, encodeU64, type MetadataEntry } from './metadata.ts';
import { type StoredType, storedBytes, typeTraits } from './tensor-types.ts';

export interface GgufTensor {
  readonly name: string;
  /** Outermost dimension first, reversed in the file. */
  readonly shape: readonly number[];
  readonly type: StoredType;
  /** The bytes of the tensor in order, in parts of any size. */
  data(): AsyncIterable<Uint8Array>;
}

export interface GgufContent {
  readonly metadata: readonly MetadataEntry[];
  readonly tensors: readonly GgufTensor[];
}

export interface WriteOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the tensor bytes written so far, and in total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const alignment = 32;
const aligned = (position: number): number => Math.ceil(position / alignment) * alignment;
const bytesOf = (tensor: GgufTensor): number => storedBytes(tensor.type, elementCount(tensor.shape));

function encodeHeader({ metadata, tensors }: GgufContent): Buffer {
  const parts = [Buffer.from('GGUF'), encodeU32(3), encodeU64(tensors.length), encodeU64(metadata.length)];
  parts.push(...metadata.map(encodeMetadata));
  let offset = 0;
  for (const tensor of tensors) {
    const dimensions = tensor.shape.toReversed();
    parts.push(encodeString(tensor.name), encodeU32(dimensions.length), ...dimensions.map(encodeU64));
    parts.push(encodeU32(typeTraits[tensor.type].id), encodeU64(offset));
    offset = aligned(offset + bytesOf(tensor));
  }
  const header = Buffer.concat(parts);
  return Buffer.concat([header, Buffer.alloc(aligned(header.length) - header.length)]);
}

/**
 * Writes the file atomically: under a temporary name next to `path`, synced, then renamed. On a failure `path` stays
 * unchanged and nothing else is left.
 *
 * @returns bytes written
 * @throws SvcError INVALID_REQUEST if `path` cannot be a file, CANCELLED, IO; and errors of `data`
 */
export async function writeGguf(path: string, content: GgufContent, options: WriteOptions = {}): Promise<number> {
  const folder = dirname(path);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
    throw new SvcError('INVALID_REQUEST', `the output folder ${folder} does not exist`);
  }
  const existing = await stat(path).catch(() => undefined);
  // A rename would replace a device or pipe by a file.
  if (existing !== undefined && !existing.isFile()) {
    const kind = existing.isDirectory() ? 'a folder' : 'a device or pipe';
    throw new SvcError('INVALID_REQUEST', `cannot write ${path}: it is ${kind}`);
  }
  try {
    const written = await replaceWhole(path, async (temporary) => {
      await using handle = await open(temporary, 'wx').catch((error: Error) => {
        throw new SvcError('IO', `cannot write to folder ${folder}: ${error.message}`, { cause: error });
      });
      const bytes = await writeContent(handle, content, options);
      await handle.sync();
      return bytes;
    });
    await syncFolder(folder);
    return written;
  } catch (error) {
    throw diskFull(error, folder, basename(path));
  }
}

async function writeContent(
  handle: FileHandle,
  content: GgufContent,
  { signal, onProgress }: WriteOptions,
): Promise<number> {
  const header = encodeHeader(content);
  let position = 0;
  const append = async (bytes: Uint8Array): Promise<void> => {
    throwIfCanceled(signal);
    for (let sent = 0; sent < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, sent, bytes.length - sent, position);
      sent += bytesWritten;
      position += bytesWritten;
    }
  };
  await append(header);
  const total = content.tensors.reduce((sum, tensor) => sum + bytesOf(tensor), 0);
  let done = 0;
  for (const tensor of content.tensors) {
    let size = 0;
    for await (const bytes of tensor.data()) {
      await append(bytes);
      size += bytes.length;
      onProgress?.(done + size, total);
    }
    if (size !== bytesOf(tensor)) {
      throw new SvcError('INTERNAL', `tensor "${tensor.name}" has ${size} bytes, expected ${bytesOf(tensor)}`);
    }
    done += size;
    await append(new Uint8Array(aligned(position) - position));
  }
  return position;
}

/** Makes the rename durable where folders can be synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
