/** Checks inputs and outputs of a graph before use: foreign files may have different ones. */
import type { Tensor } from 'onnxruntime-common';
import { SvcError } from '../../../errors.ts';
import type { Graph } from './graph.ts';

/** Element type and length of each dimension; undefined for any length. */
export interface ExpectedTensor {
  readonly type: 'float32' | 'int64' | 'int32' | 'bool';
  readonly shape: readonly (number | undefined)[];
}

export interface GraphInterface {
  /** All inputs, by name. */
  readonly inputs: Readonly<Record<string, ExpectedTensor>>;
  /** The required outputs. */
  readonly outputs: readonly string[];
}

export const float32 = (...shape: ExpectedTensor['shape']): ExpectedTensor => ({ type: 'float32', shape });
export const int64 = (...shape: ExpectedTensor['shape']): ExpectedTensor => ({ type: 'int64', shape });

const shown = (shape: readonly (number | string | undefined)[]): string =>
  shape.length === 0 ? 'scalar' : shape.map((length) => length ?? '?').join('×');

/**
 * @param file name of the graph in messages
 * @throws SvcError MODEL_INVALID
 */
export function requireInterface(graph: Graph, file: string, { inputs, outputs }: GraphInterface): void {
  const invalid = (problem: string): never => {
    throw new SvcError('MODEL_INVALID', `${file}: ${problem}`);
  };
  for (const { name } of graph.inputs) {
    if (!Object.hasOwn(inputs, name)) invalid(`unknown input ${JSON.stringify(name.slice(0, 60))}`);
  }
  for (const [name, { type, shape }] of Object.entries(inputs)) {
    const found = graph.inputs.find((input) => input.name === name);
    if (found === undefined) {
      invalid(`input "${name}" is missing`);
    } else if (!found.isTensor || found.type !== type) {
      invalid(`input "${name}" must have type ${type}, got ${found.isTensor ? found.type : 'no tensor'}`);
    } else if (
      found.shape.length !== shape.length ||
      found.shape.some((length, index) => differs(length, shape[index]))
    ) {
      invalid(`input "${name}" has shape ${shown(found.shape)}, expected ${shown(shape)}`);
    }
  }
  for (const name of outputs) {
    if (!graph.outputs.some((output) => output.name === name)) invalid(`output "${name}" is missing`);
  }
}

/** Symbolic and unknown lengths match any length. */
const differs = (actual: number | string, expected: number | undefined): boolean =>
  typeof actual === 'number' && actual >= 0 && expected !== undefined && actual !== expected;

/**
 * The values of a float32 output.
 *
 * @throws SvcError MODEL_INVALID unless it has `length` values
 */
export function floatsOf(outputs: Readonly<Record<string, Tensor>>, name: string, length: number): Float32Array {
  const tensor = outputs[name];
  if (tensor?.type === 'float32' && tensor.size === length) return tensor.data as Float32Array;
  const received = tensor === undefined ? 'none' : `${tensor.size} of type ${tensor.type}`;
  throw new SvcError('MODEL_INVALID', `output "${name}" must have ${length} float32 values, got ${received}`);
}

/**
 * The finite values of a float32 output.
 *
 * @throws SvcError MODEL_INVALID also for infinity and NaN
 */
export function finiteFloatsOf(outputs: Readonly<Record<string, Tensor>>, name: string, length: number): Float32Array {
  const values = floatsOf(outputs, name, length);
  if (values.every((value) => Number.isFinite(value))) return values;
  throw new SvcError('MODEL_INVALID', 'the weights of the model are broken: it computed infinity or NaN');
}
