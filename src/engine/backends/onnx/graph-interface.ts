/** What a model's code expects of the inputs and outputs of a graph: files of strangers may have others. */
import type { Tensor } from 'onnxruntime-common';
import { SvcError } from '../../../errors.ts';
import type { Graph } from './graph.ts';

/** Element type and length of each dimension; undefined where any length will do. */
export interface ExpectedTensor {
  readonly type: 'float32' | 'int64' | 'int32' | 'bool';
  readonly shape: readonly (number | undefined)[];
}

export interface GraphInterface {
  /** All inputs, by name. */
  readonly inputs: Readonly<Record<string, ExpectedTensor>>;
  /** The outputs that are used. */
  readonly outputs: readonly string[];
}

export const float32 = (...shape: ExpectedTensor['shape']): ExpectedTensor => ({ type: 'float32', shape });
export const int64 = (...shape: ExpectedTensor['shape']): ExpectedTensor => ({ type: 'int64', shape });

const shown = (shape: readonly (number | string | undefined)[]): string =>
  `[${shape.map((length) => length ?? '?').join(', ')}]`;

/**
 * @param file what messages call the graph
 * @throws SvcError MODEL_INVALID
 */
export function requireInterface(graph: Graph, file: string, { inputs, outputs }: GraphInterface): void {
  const invalid = (expected: string, received: string): never => {
    throw new SvcError('MODEL_INVALID', `expected ${expected} of ${file}, received ${received}`);
  };
  for (const { name } of graph.inputs) {
    if (!Object.hasOwn(inputs, name)) invalid('known inputs', `also ${JSON.stringify(name.slice(0, 60))}`);
  }
  for (const [name, { type, shape }] of Object.entries(inputs)) {
    const found = graph.inputs.find((input) => input.name === name);
    if (found === undefined) {
      invalid(`the input ${name}`, 'a graph without it');
    } else if (!found.isTensor || found.type !== type) {
      invalid(`the input ${name} as ${type}`, found.isTensor ? found.type : 'no tensor');
    } else if (
      found.shape.length !== shape.length ||
      found.shape.some((length, index) => differs(length, shape[index]))
    ) {
      invalid(`the shape ${shown(shape)} for the input ${name}`, shown(found.shape));
    }
  }
  for (const name of outputs) {
    if (!graph.outputs.some((output) => output.name === name)) invalid(`the output ${name}`, 'a graph without it');
  }
}

/** Names and unknown lengths stand for any length. */
const differs = (actual: number | string, expected: number | undefined): boolean =>
  typeof actual === 'number' && actual >= 0 && expected !== undefined && actual !== expected;

/**
 * The values of an output.
 * @throws SvcError MODEL_INVALID unless there are `length` of them
 */
export function floatsOf(outputs: Readonly<Record<string, Tensor>>, name: string, length: number): Float32Array {
  const tensor = outputs[name];
  if (tensor?.type === 'float32' && tensor.size === length) return tensor.data as Float32Array;
  const received = tensor === undefined ? 'none' : `${tensor.size} of type ${tensor.type}`;
  throw new SvcError('MODEL_INVALID', `expected ${length} float32 values for the output ${name}, received ${received}`);
}

/**
 * The same, for what is spoken.
 * @throws SvcError MODEL_INVALID also when one is not a number
 */
export function finiteFloatsOf(outputs: Readonly<Record<string, Tensor>>, name: string, length: number): Float32Array {
  const values = floatsOf(outputs, name, length);
  if (values.every((value) => Number.isFinite(value))) return values;
  throw new SvcError('MODEL_INVALID', 'the model computes infinity or NaN, so its weights are broken');
}
