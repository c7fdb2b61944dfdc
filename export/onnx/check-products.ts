/**
 * Checks that onnxruntime multiplies by a quantized matrix as by the values that it represents.
 *
 * The operators round their input to 8 bits, so a random input would differ by the error of that rounding. But every
 * rounding to 8 bits keeps zero and the largest value of a row or block: an input of zeros and ones is multiplied
 * exactly, except for float32 arithmetic. Its bound is the usual one for a sum of `n` terms,
 * `(n + 8) · 2^-24 · Σ |xᵢ wᵢ|`, where 8 accounts for the products with both scales and the bias.
 *
 * One of each pair of neighbors is one: processors without VNNI add two products of 8 bits in 16, which would overflow.
 */
import { create, toBinary } from '@bufbuild/protobuf';
import { loadRuntime } from '../../src/engine/backends/onnx/runtime.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { bytesOf } from './checkpoint-weights.ts';
import { elementTypes, readWeight, type Weight } from './graph.ts';
import { amendNode } from './graph-draft.ts';
import { modelProto, valueInfo } from './model-proto.ts';
import { GraphProtoSchema, ModelProtoSchema, type NodeProto, type TensorProto, TensorProtoSchema } from './schema.ts';
import { biasIndex, type StoredWeight } from './stored-weights.ts';

type QuantizedMatrix = Exclude<StoredWeight, { readonly format: 'half' }>;

/** onnxruntime has separate kernels for one row and for several. */
const rowCounts = [1, 3];

/** The largest error of a product, relative to its bound; infinite if onnxruntime refuses the node. */
export async function productError(node: NodeProto, matrix: QuantizedMatrix, decoded: Float32Array): Promise<number> {
  const { InferenceSession, Tensor, env } = await loadRuntime();
  env.logLevel = 'fatal';
  const [inputs, outputs] = matrix.shape;
  const random = seededNoise(inputs);
  const bias = node.input[biasIndex(node)] ? random.next(outputs) : undefined;
  const model = await productModel(node, matrix, bias);
  const session = await InferenceSession.create(model, { logSeverityLevel: 4 }).catch(() => undefined);
  if (session === undefined) return Number.POSITIVE_INFINITY;
  try {
    let worst = 0;
    for (const rows of rowCounts) {
      const x = oneOfEachPair(rows, inputs, random.next(rows * Math.ceil(inputs / 2)));
      const { y } = await session.run({ x: new Tensor('float32', x, [rows, inputs]) }).catch(() => ({ y: undefined }));
      const actual = y?.data;
      if (!(actual instanceof Float32Array) || actual.length !== rows * outputs) return Number.POSITIVE_INFINITY;
      worst = Math.max(worst, largestError(actual, x, decoded, bias ?? new Float32Array(outputs)));
    }
    return worst;
  } finally {
    await session.release();
  }
}

/** A graph of only this node, with its attributes, its matrix and another bias. */
async function productModel(
  node: NodeProto,
  { values, scales, shape: [inputs, outputs] }: QuantizedMatrix,
  bias: Float32Array | undefined,
): Promise<Uint8Array> {
  const names = node.input.with(0, 'x');
  if (bias) names[biasIndex(node)] = 'bias';
  const stored = async ({ name, type, shape, data }: Weight): Promise<TensorProto> =>
    create(TensorProtoSchema, {
      name,
      dataType: elementTypes[type],
      dims: shape.map(BigInt),
      rawData: await readWeight({ name, type, shape, data }),
    });
  const biasTensor = (floats: Float32Array): TensorProto =>
    create(TensorProtoSchema, {
      name: 'bias',
      dataType: elementTypes.float32,
      dims: [BigInt(outputs)],
      rawData: bytesOf(floats),
    });
  const graph = create(GraphProtoSchema, {
    name: 'product',
    node: [amendNode(node, { input: names, output: ['y'] })],
    input: [valueInfo({ value: { name: 'x' }, type: 'float32', shape: ['rows', inputs] })],
    output: [valueInfo({ value: { name: 'y' }, type: 'float32', shape: ['rows', outputs] })],
    initializer: [await stored(values), await stored(scales), ...(bias ? [biasTensor(bias)] : [])],
  });
  return toBinary(ModelProtoSchema, modelProto(graph, {}, '0'));
}

function oneOfEachPair(rows: number, inputs: number, random: Float32Array): Float32Array {
  const x = new Float32Array(rows * inputs);
  let draws = 0;
  for (let row = 0; row < rows; row += 1) {
    for (let first = 0; first < inputs; first += 2) {
      const isSecond = (random[draws] ?? 0) > 0 && first + 1 < inputs;
      x[row * inputs + first + (isSecond ? 1 : 0)] = 1;
      draws += 1;
    }
  }
  return x;
}

function largestError(actual: Float32Array, x: Float32Array, matrix: Float32Array, bias: Float32Array): number {
  const outputs = bias.length;
  const inputs = matrix.length / outputs;
  const unit = (inputs + 8) * 2 ** -24;
  let worst = 0;
  for (let row = 0; row * inputs < x.length; row += 1) {
    const sums = Float64Array.from(bias);
    const sizes = Float64Array.from(bias, Math.abs);
    for (let input = 0; input < inputs; input += 1) {
      if (x[row * inputs + input] === 0) continue;
      for (let output = 0; output < outputs; output += 1) {
        const weight = matrix[input * outputs + output] ?? 0;
        sums[output] = (sums[output] ?? 0) + weight;
        sizes[output] = (sizes[output] ?? 0) + Math.abs(weight);
      }
    }
    for (let output = 0; output < outputs; output += 1) {
      const error = Math.abs((actual[row * outputs + output] ?? Number.NaN) - (sums[output] ?? 0));
      const relative = error === 0 ? 0 : error / (unit * (sizes[output] ?? 0));
      if (Number.isNaN(relative)) return Number.POSITIVE_INFINITY;
      worst = Math.max(worst, relative);
    }
  }
  return worst;
}
