/** Reads an exported graph for further steps; weights are read lazily. */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { readExactly } from '../../src/formats/tensor-source.ts';
import { type ElementType, elementTypes, type Weight, weightBytes } from './graph.ts';
import { amendGraph, type GraphDraft } from './graph-draft.ts';
import { readOnnxModel } from './read-model.ts';
import { type TensorProto, TensorProto_DataLocation } from './schema.ts';

const chunkBytes = 16 * 1024 * 1024;

/** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID */
export async function readDraft(folder: string, file: string): Promise<GraphDraft> {
  if (!(await stat(join(folder, file)).catch(() => undefined))?.isFile()) {
    throw new SvcError('MODEL_NOT_FOUND', `${file} is missing from ${folder}`);
  }
  const { graph, metadataProps } = await readOnnxModel(join(folder, file));
  if (!graph) throw new SvcError('MODEL_INVALID', `${file} contains no graph`);
  const weights = new Map<string, Weight>();
  const initializer: TensorProto[] = [];
  for (const tensor of graph.initializer) {
    const isExternal = tensor.dataLocation === TensorProto_DataLocation.EXTERNAL;
    const weight = isExternal ? await externalWeight(folder, file, tensor) : inlineWeight(tensor);
    if (weight) weights.set(tensor.name, weight);
    else initializer.push(tensor);
  }
  const metadata = Object.fromEntries(metadataProps.map(({ key, value }) => [key, value]));
  return { file, graph: amendGraph(graph, { initializer }), weights, metadata };
}

/** Smaller tensors stay in the graph, where passes can read them. */
const smallestWeight = 4096;

/** A matrix or kernel stored in the graph itself, such as in small files of other exporters. */
function inlineWeight({ name, dataType, dims, rawData }: TensorProto): Weight | undefined {
  if (dataType !== elementTypes.float32 || dims.length < 2 || rawData.length < smallestWeight) return undefined;
  return {
    name,
    type: 'float32',
    shape: dims.map(Number),
    async *data() {
      // A copy is aligned.
      yield new Uint8Array(rawData);
    },
  };
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
    throw new SvcError('MODEL_INVALID', `${file}: the data of tensor "${tensor.name}" is missing`);
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
