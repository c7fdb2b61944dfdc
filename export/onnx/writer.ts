import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toBinary } from '@bufbuild/protobuf';
import { throwIfCanceled } from '../../src/cancellation.ts';
import { SvcError } from '../../src/errors.ts';
import { diskFull, replaceWhole } from '../../src/files/file-system.ts';
import { type Weight, weightBytes } from './graph.ts';
import type { GraphDraft } from './graph-draft.ts';
import { type Placement, toModelProto } from './model-proto.ts';
import { ModelProtoSchema } from './schema.ts';

export interface WriteModelOptions {
  /** Version of this program. */
  readonly version: string;
  readonly signal?: AbortSignal | undefined;
  /** Called with the weight bytes written since the last call. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

export interface WrittenModel {
  readonly bytes: number;
  readonly dataBytes: number;
}

/** Alignment of large tensors, which readers map from the file. */
const pageBytes = 4096;
const smallAlignment = 64;

/** Assigns consecutive positions to the weights. */
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
 * Writes graph and weights under temporary names and renames them when complete; leaves nothing on a failure.
 *
 * @returns bytes written, and the size of the weight file
 * @throws SvcError CANCELLED, IO; and errors of a weight's `data`
 */
export async function writeModel(folder: string, draft: GraphDraft, options: WriteModelOptions): Promise<WrittenModel> {
  const path = join(folder, draft.file);
  const dataPath = `${path}.data`;
  const placements = placeWeights(draft, basename(dataPath));
  const place = (weight: Weight): Placement => placements.get(weight) as Placement;
  const model = toBinary(ModelProtoSchema, toModelProto(draft, place, options.version));
  try {
    await replaceWhole(path, (graph) =>
      replaceWhole(dataPath, async (data) => {
        await using dataFile = await open(data, 'wx');
        await writeWeights(dataFile, placements, options);
        await using graphFile = await open(graph, 'wx');
        await writeAll(graphFile, model, 0);
      }),
    );
  } catch (error) {
    throw diskFull(error, folder, draft.file);
  }
  const { size: dataBytes } = await stat(dataPath);
  return { bytes: dataBytes + model.length, dataBytes };
}

async function writeWeights(
  handle: FileHandle,
  placements: ReadonlyMap<Weight, Placement>,
  { signal, onBytes }: WriteModelOptions,
): Promise<void> {
  for (const [weight, { offset, bytes }] of placements) {
    let size = 0;
    for await (const part of weight.data()) {
      throwIfCanceled(signal);
      await writeAll(handle, part, offset + size);
      size += part.length;
      onBytes?.(part.length);
    }
    if (size !== bytes) {
      throw new SvcError('INTERNAL', `tensor "${weight.name}" has ${size} bytes, expected ${bytes}`);
    }
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let sent = 0; sent < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, sent, bytes.length - sent, position + sent);
    sent += bytesWritten;
  }
}
