/** Linear layers in the precision of their stage. */
import type { CheckpointWeights } from './checkpoint-weights.ts';
import type { GraphBuilder, Value } from './graph.ts';
import type { Precision } from './precision.ts';
import { blockQuantized, blockSizeFor, columnQuantized, halfMatrix } from './quantize.ts';

/** What a stage is built with. */
export interface StageContext {
  readonly graph: GraphBuilder;
  readonly weights: CheckpointWeights;
  /** Of the matrices; everything else is float32. */
  readonly precision: Precision;
}

/** Below this many outputs a matrix is a rounding error of the file's size: the stop head's two rows decide where speech ends. */
const fewestOutputs = 8;

/** Accumulation in int8, the fast kernel of both block types. */
const int8Accuracy = 4;

/**
 * `x · Wᵀ + b` of one linear layer, or of several of one input side by side.
 * @param name of the weight in the file
 * @param parts names of the layers, without `.weight`
 */
export function linear(context: StageContext, x: Value, name: string, parts: readonly string[] = [name]): Value {
  const { graph, weights } = context;
  const matrices = parts.map((part) => `${part}.weight`);
  const product = multiply(context, x, `${name}.weight`, matrices);
  const [bias] = parts.map((part) => `${part}.bias`);
  if (parts.length !== 1 || bias === undefined || !weights.has(bias)) return product;
  return graph.op('Add', [product, graph.weight(weights.plain(bias))]);
}

function multiply(context: StageContext, x: Value, name: string, matrices: readonly string[]): Value {
  const { graph, weights } = context;
  const inputs = weights.shapeOf(matrices[0] as string)[1] ?? 1;
  const outputs = matrices.reduce((sum, matrix) => sum + (weights.shapeOf(matrix)[0] ?? 0), 0);
  const precision = outputs < fewestOutputs ? 'f32' : context.precision;
  switch (precision) {
    case 'f32':
      return graph.op('MatMul', [x, graph.weight(weights.transposed(name, matrices))]);
    case 'f16': {
      const half = graph.weight(halfMatrix(weights.transposed(name, matrices)));
      // No processor kernel multiplies half precision: the runtime widens the matrix once, when it loads the file.
      return graph.op('MatMul', [x, graph.op('Cast', [half], { to: 1 })]);
    }
    case 'int8': {
      const { values, scales } = columnQuantized(weights, name, matrices, { inputs, outputs });
      return graph.op('DynamicQuantizeMatMul', [x, graph.weight(values), graph.weight(scales)], {}, 'com.microsoft');
    }
    default: {
      const bits = precision === 'q8' ? 8 : 4;
      const block = blockSizeFor(inputs, bits);
      const { values, scales } = blockQuantized(weights, name, matrices, { inputs, outputs, bits, block });
      const attributes = { K: inputs, N: outputs, bits, block_size: block, accuracy_level: int8Accuracy };
      return graph.op('MatMulNBits', [x, graph.weight(values), graph.weight(scales)], attributes, 'com.microsoft');
    }
  }
}
