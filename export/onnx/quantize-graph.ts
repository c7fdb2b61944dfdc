/** Converts the float32 matrices of a graph to the precision of their stage. */
import { create } from '@bufbuild/protobuf';
import type { Weight } from './graph.ts';
import {
  amendBodies,
  amendGraph,
  amendNode,
  castToFloat,
  type GraphDraft,
  integerAttribute,
  withBodies,
} from './graph-draft.ts';
import { describePrecisions, type Precision, type StagePrecisions } from './precision.ts';
import { blockQuantized, blockSizeFor, columnQuantized, halfMatrix, type QuantizedMatrix } from './quantize.ts';
import { type GraphProto, type NodeProto, NodeProtoSchema } from './schema.ts';

/**
 * Smaller matrices are not quantized: they save nothing, and the stop head's two rows decide where speech ends.
 */
const fewestOutputs = 8;

/** Accumulates in int8, the fast kernel of both block types. */
const int8Accuracy = 4;

const microsoft = 'com.microsoft';

/** Runs once per number of timesteps, so quantizing gains nothing. */
const isOfSchedule = (name: string): boolean => /\.(delta_)?time_mlp\./.test(name);

/** VoxCPM-ONNX looks up rotary position tables; they are small, and no weights. */
const isOfPositions = (name: string): boolean => /(^|\.)rope_emb\./.test(name);

const isOfVae = (name: string): boolean => /(^|\.)audio_vae\./.test(name);

/** The precision of a weight by its name, which VoxCPM-ONNX prefixes with the part of the model. */
function precisionOf(name: string, { lm, dit, vae }: StagePrecisions): Precision {
  if (isOfVae(name)) return vae;
  if (!/(^|\.)feat_decoder\./.test(name)) return lm;
  return isOfSchedule(name) && dit !== 'f32' ? 'f16' : dit;
}

/** The replacement of a weight. */
interface Replacement {
  readonly weights: readonly Weight[];
  /** Rewrites a node that reads the weight. */
  rewrite(node: NodeProto): NodeProto[];
}

/** Rewrites nodes that multiply by, convolve with or look up in a weight; float32 stages stay unchanged. */
export function quantizeGraph(draft: GraphDraft, types: StagePrecisions): GraphDraft {
  const replacements = new Map<string, Replacement>();
  const metadata = { ...draft.metadata, types: describePrecisions(types) };
  for (const node of withBodies(draft.graph).flatMap((graph) => graph.node)) {
    const name = weightOf(node);
    const weight = draft.weights.get(name);
    if (weight?.type !== 'float32' || replacements.has(name)) continue;
    const replacement = replace(node, weight, precisionOf(name, types));
    if (replacement) replacements.set(name, replacement);
  }
  const rewriteNode = (node: NodeProto): NodeProto[] => {
    const amended = amendBodies(node, rewriteGraph);
    return replacements.get(weightOf(node))?.rewrite(amended) ?? [amended];
  };
  const rewriteGraph = (graph: GraphProto): GraphProto => amendGraph(graph, { node: graph.node.flatMap(rewriteNode) });
  const weights = [...draft.weights].flatMap(([name, weight]) => replacements.get(name)?.weights ?? [weight]);
  return {
    ...draft,
    graph: rewriteGraph(draft.graph),
    weights: new Map(weights.map((weight) => [weight.name, weight])),
    metadata,
  };
}

/** The weight of a node that supports lower precision. */
function weightOf({ opType, domain, input }: NodeProto): string {
  if (domain !== '') return '';
  if (['MatMul', 'Gemm', 'Conv', 'ConvTranspose'].includes(opType)) return input[1] ?? '';
  return opType === 'Gather' ? (input[0] ?? '') : '';
}

function replace(node: NodeProto, weight: Weight, precision: Precision): Replacement | undefined {
  if (precision === 'f32') return undefined;
  const [inputs = 1, outputs = 1] = weight.shape;
  switch (node.opType) {
    case 'Gather':
      return isOfVae(weight.name) || isOfPositions(weight.name) ? undefined : lookedUp(weight);
    case 'Conv':
    case 'ConvTranspose':
      return widened(weight);
    default:
      if (weight.shape.length !== 2 || outputs < fewestOutputs || !isPlainProduct(node)) return undefined;
      if (precision === 'f16') return widened(weight);
      if (precision === 'int8') return inColumns(columnQuantized(weight));
      return inBlocks(weight, precision === 'q8' ? 8 : 4, inputs, outputs);
  }
}

/** `MatMul`, or a `Gemm` that is equivalent to one with a bias. */
const isPlainProduct = ({ opType, attribute }: NodeProto): boolean =>
  opType === 'MatMul' ||
  attribute.every(({ name, i, f }) => (name === 'alpha' || name === 'beta' ? f === 1 : i === 0n));

/** Widens only the rows that are looked up; lower precision would save little and lose much. */
const lookedUp = (table: Weight): Replacement => ({
  weights: [halfMatrix(table)],
  rewrite(node) {
    const [result = ''] = node.output;
    const half = `${result}.half`;
    return [amendNode(node, { output: [half] }), castToFloat(half, result)];
  },
});

/** No CPU kernel supports half precision: the runtime widens the weight when it loads the file. */
const widened = (weight: Weight): Replacement => ({
  weights: [halfMatrix(weight)],
  rewrite(node) {
    const wide = `${node.output[0]}.weight`;
    const input = node.input.map((name) => (name === weight.name ? wide : name));
    return [castToFloat(weight.name, wide), amendNode(node, { input })];
  },
});

/** Creates a product; an optional bias comes last. */
const product = (node: NodeProto, opType: string, inputs: readonly string[]): NodeProto =>
  create(NodeProtoSchema, {
    opType,
    domain: microsoft,
    name: node.name,
    input: [node.input[0] ?? '', ...inputs, ...node.input.slice(2)],
    output: node.output,
  });

const inColumns = ({ values, scales }: QuantizedMatrix): Replacement => ({
  weights: [values, scales],
  rewrite(node) {
    const zeroPoint = node.input.length > 2 ? [''] : [];
    return [product(node, 'DynamicQuantizeMatMul', [values.name, scales.name, ...zeroPoint])];
  },
});

function inBlocks(weight: Weight, bits: 4 | 8, inputs: number, outputs: number): Replacement {
  const block = blockSizeFor(inputs, bits);
  const { values, scales } = blockQuantized(weight, { bits, block });
  const attributes = { K: inputs, N: outputs, bits, block_size: block, accuracy_level: int8Accuracy };
  const attribute = Object.entries(attributes).map(([name, value]) => integerAttribute(name, value));
  return {
    weights: [values, scales],
    rewrite(node) {
      const zeroPointAndGroups = node.input.length > 2 ? ['', ''] : [];
      const made = product(node, 'MatMulNBits', [values.name, scales.name, ...zeroPointAndGroups]);
      return [amendNode(made, { attribute })];
    },
  };
}
