/** A graph that was written before, to go on with: its weights stay where they are until they are asked for. */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { readExactly } from '../tensor-source.ts';
import { type ElementType, elementTypes } from './graph.ts';
import { amendGraph, type GraphDraft } from './graph-draft.ts';
import { readOnnxModel } from './read-model.ts';
import { type TensorProto, TensorProto_DataLocation } from './schema.ts';
import { type Weight, weightBytes } from './weight.ts';

const chunkBytes = 16 * 1024 * 1024;

/** @throws SvcError MODEL_INVALID */
export async function readDraft(folder: string, file: string): Promise<GraphDraft> {
  const { graph, metadataProps } = await readOnnxModel(join(folder, file));
  if (!graph) throw new SvcError('MODEL_INVALID', `expected a graph in ${file}, received none`);
  const isExternal = ({ dataLocation }: TensorProto): boolean => dataLocation === TensorProto_DataLocation.EXTERNAL;
  const weights = new Map<string, Weight>();
  for (const tensor of graph.initializer.filter(isExternal)) {
    weights.set(tensor.name, await externalWeight(folder, file, tensor));
  }
  const initializer = graph.initializer.filter((tensor) => !isExternal(tensor));
  const metadata = Object.fromEntries(metadataProps.map(({ key, value }) => [key, value]));
  return { file, graph: amendGraph(graph, { initializer }), weights, metadata };
}

const typeNames = new Map(
  Object.entries(elementTypes).map(([name, number]) => [number as number, name as ElementType]),
);

async function externalWeight(folder: string, file: string, tensor: TensorProto): Promise<Weight> {
  const entries = new Map(tensor.externalData.map(({ key, value }) => [key, value]));
  const type = typeNames.get(tensor.dataType);
  const shape = tensor.dims.map(Number);
  const location = entries.get('location') ?? '';
  const offset = Number(entries.get('offset') ?? 0);
  const bytes = type === undefined ? 0 : weightBytes({ type, shape });
  const path = join(folder, location);
  const size = /^[\w.-]+$/.test(location) ? (await stat(path).catch(() => undefined))?.size : undefined;
  const isWhole = size !== undefined && Number.isSafeInteger(offset) && offset >= 0 && offset + bytes <= size;
  if (type === undefined || !isWhole || Number(entries.get('length') ?? bytes) !== bytes) {
    throw new SvcError(
      'MODEL_INVALID',
      `expected tensor ${tensor.name} of ${file} in a file beside it, received none that holds it`,
    );
  }
  return {
    name: tensor.name,
    type,
    shape,
    async *data() {
      const handle = await open(path);
      try {
        for (let start = 0; start < bytes; start += chunkBytes) {
          yield await readExactly(handle, offset + start, Math.min(chunkBytes, bytes - start), location);
        }
      } finally {
        await handle.close();
      }
    },
  };
}
