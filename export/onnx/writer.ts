/** Writes a graph as `NAME.onnx`, with its weights in `NAME.onnx.data`: there is no limit of 2 GB and none is held whole. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toBinary } from '@bufbuild/protobuf';
import { diskFull } from '../../src/disk-space.ts';
import { SvcError } from '../../src/errors.ts';
import { type Weight, weightBytes } from './graph.ts';
import type { GraphDraft } from './graph-draft.ts';
import { type Placement, toModelProto } from './model-proto.ts';
import { ModelProtoSchema } from './schema.ts';

export interface WriteModelOptions {
  /** Of the program that writes. */
  readonly version: string;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of weights written since the last call. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

export interface WrittenModel {
  readonly bytes: number;
  readonly dataBytes: number;
}

/** Readers map large tensors from the file, which needs whole pages. */
const pageBytes = 4096;
const smallAlignment = 64;

/** Places the weights one after the other. */
function placeWeights({ weights }: GraphDraft, location: string): Map<Weight, Placement> {
  const placements = new Map<Weight, Placement>();
  let position = 0;
  for (const weight of weights.values()) {
    const bytes = weightBytes(weight);
    const alignment = bytes >= pageBytes ? pageBytes : smallAlignment;
    position = Math.ceil(position / alignment) * alignment;
    placements.set(weight, { location, offset: position, bytes });
    position += bytes;
  }
  return placements;
}

/**
 * Both files are written under temporary names and renamed when they are complete; whatever fails, nothing is left.
 * @returns bytes written, and the size of the file of the weights
 * @throws SvcError CANCELLED, IO; and what a weight's `data` throws
 */
export async function writeModel(folder: string, draft: GraphDraft, options: WriteModelOptions): Promise<WrittenModel> {
  const suffix = `${randomBytes(6).toString('hex')}.tmp`;
  const path = join(folder, draft.file);
  const dataPath = `${path}.data`;
  const placements = placeWeights(draft, basename(dataPath));
  const place = (weight: Weight): Placement => placements.get(weight) as Placement;
  const model = toBinary(ModelProtoSchema, toModelProto(draft, place, options.version));
  try {
    await writeFile(`${dataPath}.${suffix}`, (handle) => writeWeights(handle, placements, options));
    await writeFile(`${path}.${suffix}`, (handle) => writeAll(handle, model, 0));
    await rename(`${dataPath}.${suffix}`, dataPath);
    await rename(`${path}.${suffix}`, path);
  } catch (error) {
    await rm(`${dataPath}.${suffix}`, { force: true });
    await rm(`${path}.${suffix}`, { force: true });
    throw diskFull(error, folder, draft.file);
  }
  const { size: dataBytes } = await stat(dataPath);
  return { bytes: dataBytes + model.length, dataBytes };
}

async function writeFile(path: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await write(handle);
  } finally {
    await handle.close();
  }
}

async function writeWeights(
  handle: FileHandle,
  placements: ReadonlyMap<Weight, Placement>,
  { signal, onBytes }: WriteModelOptions,
): Promise<void> {
  for (const [weight, { offset, bytes }] of placements) {
    let size = 0;
    for await (const part of weight.data()) {
      if (signal?.aborted) throw new SvcError('CANCELLED', 'cancelled');
      await writeAll(handle, part, offset + size);
      size += part.length;
      onBytes?.(part.length);
    }
    if (size !== bytes) {
      throw new SvcError('INTERNAL', `expected ${bytes} bytes for tensor ${weight.name}, received ${size}`);
    }
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let sent = 0; sent < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, sent, bytes.length - sent, position + sent);
    sent += bytesWritten;
  }
}
