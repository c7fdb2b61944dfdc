/** Converts tensors of a checkpoint to weights of ONNX graphs. */
import { SvcError } from '../../src/errors.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readFloats, type TensorSource } from '../../src/formats/tensor-source.ts';
import type { MatchedTensor } from '../expected-tensors.ts';
import type { Weight } from './graph.ts';

/** Elements read at once: 16 MiB of float32. */
const chunkElements = 4 * 1024 * 1024;

/** Size of the square blocks of a transposition, so that source and target stay in the cache. */
const tile = 32;

export interface CheckpointWeights {
  has(name: string): boolean;
  shapeOf(name: string): readonly number[];
  /** A tensor in float32, optionally reshaped. */
  plain(name: string, shape?: readonly number[]): Weight;
  /** The matrices `[outputs, inputs]` of several linear layers with the same input, as `[inputs, all outputs]`. */
  transposed(name: string, parts: readonly string[]): Weight;
  /** Reads a small tensor. */
  read(name: string): Promise<Float32Array>;
  /** Reads the rows of the matrices of several linear layers with the same input, matrix by matrix. */
  rows(parts: readonly string[]): AsyncIterable<{ readonly values: Float32Array; readonly rows: number }>;
}

export function checkpointWeights(matched: readonly MatchedTensor[]): CheckpointWeights {
  const byName = new Map(matched.map(({ expected, source }) => [expected.name, source]));
  const sourceOf = (name: string): TensorSource => {
    const source = byName.get(name);
    if (source) return source;
    throw new SvcError('INTERNAL', `tensor "${name}" is not a tensor of the config`);
  };

  async function* rows(parts: readonly string[]): AsyncGenerator<{ values: Float32Array; rows: number }> {
    for (const part of parts) {
      const source = sourceOf(part);
      const [outputs = 0, inputs = 1] = source.shape;
      const step = Math.max(1, Math.floor(chunkElements / inputs));
      for (let first = 0; first < outputs; first += step) {
        const count = Math.min(step, outputs - first);
        yield { values: await readFinite(source, first * inputs, count * inputs), rows: count };
      }
    }
  }

  return {
    has: (name) => byName.has(name),
    shapeOf: (name) => sourceOf(name).shape,
    read: (name) => readFinite(sourceOf(name), 0, elementCount(sourceOf(name).shape)),
    rows,
    plain: (name, shape) => ({
      name,
      type: 'float32',
      shape: shape ?? sourceOf(name).shape,
      data: () => floatsOf(sourceOf(name)),
    }),
    transposed(name, parts) {
      const inputs = sourceOf(parts[0] as string).shape[1] ?? 1;
      const outputs = parts.reduce((sum, part) => sum + (sourceOf(part).shape[0] ?? 0), 0);
      return {
        name,
        type: 'float32',
        shape: [inputs, outputs],
        async *data() {
          const result = new Float32Array(inputs * outputs);
          let first = 0;
          for await (const { values, rows: count } of rows(parts)) {
            transposeInto(result, outputs, first, values, count, inputs);
            first += count;
          }
          yield bytesOf(result);
        },
      };
    },
  };
}

/** Writes rows `[count, inputs]` as columns of `result`, starting at `first`. */
function transposeInto(
  result: Float32Array,
  columns: number,
  first: number,
  values: Float32Array,
  count: number,
  inputs: number,
): void {
  for (let row0 = 0; row0 < count; row0 += tile) {
    const row1 = Math.min(count, row0 + tile);
    for (let input0 = 0; input0 < inputs; input0 += tile) {
      const input1 = Math.min(inputs, input0 + tile);
      for (let input = input0; input < input1; input += 1) {
        const target = input * columns + first;
        for (let row = row0; row < row1; row += 1) result[target + row] = values[row * inputs + input] as number;
      }
    }
  }
}

async function* floatsOf(source: TensorSource): AsyncGenerator<Uint8Array> {
  const elements = elementCount(source.shape);
  for (let start = 0; start < elements; start += chunkElements) {
    yield bytesOf(await readFinite(source, start, Math.min(chunkElements, elements - start)));
  }
}

/** Rejects weights that are not finite, which would make all audio NaN. */
async function readFinite(source: TensorSource, start: number, count: number): Promise<Float32Array> {
  const values = await readFloats(source, start, count);
  // With an index, as an iterator would take longer than the conversion.
  for (let index = 0; index < count; index += 1) {
    const value = values[index] as number;
    if (value - value === 0) continue;
    throw new SvcError('MODEL_INVALID', `tensor "${source.name}" contains ${value}`);
  }
  return values;
}

export const bytesOf = (values: Float32Array | Uint8Array | Int8Array | Uint16Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
