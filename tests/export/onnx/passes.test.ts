import { rm } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { GraphBuilder, type Weight } from '../../../export/onnx/graph.ts';
import type { GraphDraft } from '../../../export/onnx/graph-draft.ts';
import { modelProto, toGraphProto } from '../../../export/onnx/model-proto.ts';
import { optimizeOffline } from '../../../export/onnx/offline-optimization.ts';
import { dropUseless } from '../../../export/onnx/optimize.ts';
import { parsePrecisions } from '../../../export/onnx/precision.ts';
import { blockQuantized, columnQuantized } from '../../../export/onnx/quantize.ts';
import { quantizeGraph } from '../../../export/onnx/quantize-graph.ts';
import { readDraft } from '../../../export/onnx/read-draft.ts';
import { readOnnxModel } from '../../../export/onnx/read-model.ts';
import { writeModel } from '../../../export/onnx/writer.ts';
import { loadRuntime } from '../../../src/engine/backends/onnx/runtime.ts';
import { freshFolder } from '../../support/test-folder.ts';

const folder = freshFolder();

const [rows, inputs, outputs] = [3, 64, 24];
const wave = (length: number, step: number): Float32Array =>
  Float32Array.from({ length }, (_, at) => Math.sin(at * step));

const weight = (name: string, shape: readonly number[], step: number): Weight => ({
  name,
  type: 'float32',
  shape,
  async *data() {
    yield new Uint8Array(
      wave(
        shape.reduce((product, length) => product * length, 1),
        step,
      ).buffer,
    );
  },
});

/** `x · W + b` with no-op nodes around it. */
function draft(operator = 'MatMul'): GraphDraft {
  const graph = new GraphBuilder('layer');
  const x = graph.input('x', 'float32', ['rows', inputs]);
  const matrix = graph.weight(weight('base_lm.layer.weight', [inputs, outputs], 0.37));
  const copied = graph.op('Identity', [x]);
  graph.op('Relu', [graph.weight(weight('unread', [4, 4], 1))]);
  const product = graph.op(operator, [copied, matrix]);
  const sum = graph.op('Add', [product, graph.weight(weight('base_lm.layer.bias', [outputs], 0.9))]);
  graph.output('y', sum, 'float32', ['rows', outputs]);
  const weights = new Map(graph.weights.map((each) => [each.weight.name, each.weight]));
  return { file: 'layer.onnx', graph: toGraphProto(graph), weights, metadata: {} };
}

const operators = ({ graph }: GraphDraft): string[] => graph.node.map(({ opType }) => opType);

async function compute(made: GraphDraft): Promise<Float32Array> {
  await writeModel(folder.path, made, { version: '1' });
  const { InferenceSession, Tensor } = await loadRuntime();
  const session = await InferenceSession.create(folder.join(made.file), { logSeverityLevel: 3 });
  const { y } = await session.run({ x: new Tensor('float32', wave(rows * inputs, 0.11), [rows, inputs]) });
  await session.release();
  return y?.data as Float32Array;
}

/** Root mean square of the difference, relative to that of the reference. */
function relativeError(actual: Float32Array, expected: Float32Array): number {
  const power = (values: Float32Array): number => values.reduce((sum, value) => sum + value * value, 0);
  const difference = expected.map((value, at) => value - (actual[at] as number));
  return Math.sqrt(power(difference) / power(expected));
}

it('a file names its writer and the versions that it needs', () => {
  const { graph } = draft();
  const { irVersion, producerName, producerVersion, opsetImport, metadataProps } = modelProto(graph, { a: 'b' }, '1.2');
  expect([irVersion, producerName, producerVersion]).toEqual([10n, 'svc', '1.2']);
  expect(opsetImport).toMatchObject([{ domain: '', version: 21n }]);
  expect(metadataProps).toMatchObject([{ key: 'a', value: 'b' }]);
});

describe('passes over a graph', () => {
  it('remove copies, unused nodes and their weights', () => {
    const dropped = dropUseless(draft());
    expect(operators(dropped)).toEqual(['MatMul', 'Add']);
    expect([...dropped.weights.keys()]).toEqual(['base_lm.layer.weight', 'base_lm.layer.bias']);
  });

  it('let onnxruntime fuse nodes without changing weights or values', async () => {
    const before = dropUseless(draft());
    const after = await optimizeOffline(before);
    expect(operators(after)).toEqual(['Gemm']);
    expect(after.weights).toBe(before.weights);
    expect(after.graph.input.map(({ name }) => name)).toEqual(['x']);
    expect(after.metadata).toEqual({ optimized: 'onnxruntime basic' });
    expect(relativeError(await compute(after), await compute(before))).toBeLessThan(1e-6);
  });

  it('name a graph that onnxruntime refuses', async () => {
    await expect(optimizeOffline(draft('NoSuchOperator'))).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(/^onnxruntime cannot optimize layer\.onnx: [^\n]+$/),
    });
  });

  it.each([
    ['f16', 1e-3, 'Cast'],
    ['q8', 0.05, 'MatMulNBits'],
    ['int8', 0.05, 'DynamicQuantizeMatMul'],
    ['q4', 0.5, 'MatMulNBits'],
  ])('convert matrices to %s, with bias, fused or not', async (type, bound, operator) => {
    const types = parsePrecisions(`lm=${type}`);
    const expected = await compute(draft());
    const results: Float32Array[] = [];
    for (const source of [draft(), await optimizeOffline(dropUseless(draft()))]) {
      const made = quantizeGraph(source, types);
      expect(operators(made)).toContain(operator);
      expect(made.metadata).toMatchObject({ types: `lm=${type},dit=f32,vae=f32` });
      results.push(await compute(made));
    }
    const [plain, fused] = results as [Float32Array, Float32Array];
    expect(relativeError(plain, expected)).toBeLessThan(bound);
    expect(relativeError(fused, plain)).toBeLessThan(1e-5);
  });

  it('work on files like on new graphs', async () => {
    const types = parsePrecisions('lm=q8');
    await writeModel(folder.path, draft(), { version: '1' });
    const read = await readDraft(folder.path, 'layer.onnx');
    expect([...read.weights.keys()]).toEqual([...draft().weights.keys()]);
    const [fromFile, direct] = [
      await compute(quantizeGraph(read, types)),
      await compute(quantizeGraph(draft(), types)),
    ];
    expect(fromFile).toEqual(direct);
  });

  it('place weights one after another, large ones at pages for readers that map the file', async () => {
    const graph = new GraphBuilder('sum');
    const sizes = [1, 1024, 2, 1023, 1500];
    const values = sizes.map((size, index) => graph.weight(weight(`weight.${index}`, [size], 1 + index)));
    graph.output('y', graph.op('Concat', values, { axis: 0 }), 'float32', ['length']);
    const weights = new Map(graph.weights.map((each) => [each.weight.name, each.weight]));
    await writeModel(
      folder.path,
      { file: 'sum.onnx', graph: toGraphProto(graph), weights, metadata: {} },
      { version: '1' },
    );
    const { graph: written } = await readOnnxModel(folder.join('sum.onnx'));
    const placed = written?.initializer.map(({ externalData }) =>
      ['offset', 'length'].map((field) => Number(externalData.find(({ key }) => key === field)?.value)),
    );
    expect(placed).toEqual([
      [0, 4],
      [4096, 4096],
      [8192, 8],
      [8256, 4092],
      [16_384, 6000],
    ]);
  });

  it('refuse files with missing weights', async () => {
    await writeModel(folder.path, draft(), { version: '1' });
    await rm(folder.join('layer.onnx.data'));
    await expect(readDraft(folder.path, 'layer.onnx')).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: 'layer.onnx: the data of tensor "base_lm.layer.weight" is missing',
    });
    await expect(readDraft(folder.path, 'other.onnx')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });
});

it.each([
  ['columns', (matrix: Weight) => columnQuantized(matrix)],
  ['blocks', (matrix: Weight) => blockQuantized(matrix, { bits: 4, block: 16 })],
])('a matrix of quantized %s is read once for its values and scales, and not kept', async (_, quantized) => {
  let reads = 0;
  const matrix = weight('matrix', [inputs, outputs], 0.37);
  const counted: Weight = {
    ...matrix,
    async *data() {
      reads += 1;
      yield* matrix.data();
    },
  };
  const { values, scales } = quantized(counted);
  const write = async () => {
    for (const each of [values, scales]) for await (const part of each.data()) expect(part.length).toBeGreaterThan(0);
    return reads;
  };
  expect([await write(), await write()]).toEqual([1, 2]);
});
