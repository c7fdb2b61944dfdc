/** The weights of a graph below float32, read back as the values that they stand for. */

import { create } from '@bufbuild/protobuf';
import { fromHalf } from '../../src/formats/float-conversion.ts';
import { readWeight, type Weight } from './graph.ts';
import { amendBodies, amendGraph, type GraphDraft, withBodies } from './graph-draft.ts';
import { type GraphProto, type NodeProto, NodeProtoSchema } from './schema.ts';

/** A weight below float32; the original has the shape `[inputs, outputs]` unless its format is `half`. */
export type StoredWeight = { readonly name: string } & (
  | { readonly format: 'half'; readonly shape: readonly number[]; readonly values: Weight }
  | ({
      readonly values: Weight;
      readonly scales: Weight;
      readonly shape: readonly [inputs: number, outputs: number];
    } & ({ readonly format: 'columns' } | { readonly format: 'blocks'; readonly bits: 4 | 8; readonly block: number }))
);

const products: readonly string[] = ['MatMulNBits', 'DynamicQuantizeMatMul'];

/** Whether a node multiplies by a quantized matrix, its second input. */
export const isQuantizedProduct = ({ opType, domain }: NodeProto): boolean =>
  domain === 'com.microsoft' && products.includes(opType);

/** The index of the optional bias among the inputs of a quantized product. */
export const biasIndex = ({ opType }: NodeProto): number => (opType === 'MatMulNBits' ? 5 : 4);

/** All nodes of a graph and its loop bodies. */
export const nodesOf = ({ graph }: GraphDraft): NodeProto[] => withBodies(graph).flatMap(({ node }) => node);

/** The weights below float32, by name, as `quantizeGraph` writes them. */
export function storedWeights(draft: GraphDraft): ReadonlyMap<string, StoredWeight> {
  const found = new Map<string, StoredWeight>();
  for (const [name, values] of draft.weights) {
    if (values.type === 'float16') found.set(name, { name, format: 'half', shape: values.shape, values });
  }
  for (const node of nodesOf(draft).filter(isQuantizedProduct)) {
    const [, name = '', scaleName = ''] = node.input;
    const [values, scales] = [draft.weights.get(name), draft.weights.get(scaleName)];
    if (values === undefined || scales === undefined || found.has(name)) continue;
    const integer = (wanted: string): number => Number(node.attribute.find((each) => each.name === wanted)?.i ?? 0);
    if (node.opType === 'DynamicQuantizeMatMul') {
      const [inputs = 0, outputs = 0] = values.shape;
      found.set(name, { name, format: 'columns', shape: [inputs, outputs], values, scales });
    } else {
      const shape = [integer('K'), integer('N')] as const;
      const [bits, block] = [integer('bits') === 4 ? 4 : 8, integer('block_size')] as const;
      found.set(name, { name, format: 'blocks', shape, bits, block, values, scales });
    }
  }
  return found;
}

/** The values in float32, in the shape of the original. */
export async function decodeWeight(stored: StoredWeight): Promise<Float32Array> {
  const bytes = await readWeight(stored.values);
  if (stored.format === 'half') return fromHalf(new Uint16Array(bytes.buffer));
  const scales = new Float32Array((await readWeight(stored.scales)).buffer);
  const [inputs, outputs] = stored.shape;
  const decoded = new Float32Array(inputs * outputs);
  if (stored.format === 'columns') {
    const codes = new Int8Array(bytes.buffer);
    for (let at = 0; at < decoded.length; at += 1) decoded[at] = (codes[at] ?? 0) * (scales[at % outputs] ?? 0);
    return decoded;
  }
  const { bits, block } = stored;
  const blocks = Math.ceil(inputs / block);
  const zero = 2 ** (bits - 1);
  for (let output = 0; output < outputs; output += 1) {
    const first = output * blocks * block;
    for (let input = 0; input < inputs; input += 1) {
      const place = first + input;
      const code = bits === 8 ? bytes[place] : ((bytes[place >> 1] ?? 0) >> (4 * (place & 1))) & 15;
      const scale = scales[output * blocks + Math.floor(input / block)] ?? 0;
      decoded[input * outputs + output] = ((code ?? 0) - zero) * scale;
    }
  }
  return decoded;
}

/**
 * The same graph with float32 weights in the place of those below, and plain products in the place of quantized ones.
 *
 * @param originals by the name of the stored weight
 */
export function restoreGraph(draft: GraphDraft, originals: ReadonlyMap<string, Weight>): GraphDraft {
  const restoreNode = (node: NodeProto): NodeProto[] => {
    const name = node.input[1] ?? '';
    if (!isQuantizedProduct(node) || !originals.has(name)) return [amendBodies(node, restoreNodes)];
    const [x = ''] = node.input;
    const [y = ''] = node.output;
    const bias = node.input[biasIndex(node)];
    const product = bias ? `${y}.product` : y;
    const make = (opType: string, input: string[], output: string): NodeProto =>
      create(NodeProtoSchema, { opType, name: output, input, output: [output] });
    return [make('MatMul', [x, name], product), ...(bias ? [make('Add', [product, bias], y)] : [])];
  };
  const restoreNodes = (graph: GraphProto): GraphProto => amendGraph(graph, { node: graph.node.flatMap(restoreNode) });
  const scales = new Set(nodesOf(draft).flatMap((node) => (isQuantizedProduct(node) ? [node.input[2]] : [])));
  const weights = [...draft.weights].filter(([name]) => !scales.has(name));
  return {
    ...draft,
    graph: restoreNodes(draft.graph),
    // A cast from half precision keeps its place: from float32 it does nothing.
    weights: new Map(weights.map(([name, weight]) => [name, { ...(originals.get(name) ?? weight), name }])),
  };
}
