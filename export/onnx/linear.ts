/** Linear layers with float32 matrices; `quantize-graph.ts` reduces their precision. */
import type { CheckpointWeights } from './checkpoint-weights.ts';
import type { GraphBuilder, Value } from './graph.ts';

/** The graph of a stage and the weights of the checkpoint. */
export interface StageContext {
  readonly graph: GraphBuilder;
  readonly weights: CheckpointWeights;
}

/**
 * `x · Wᵀ + b` of one linear layer, or of several with the same input, side by side.
 *
 * @param name of the weight in the file
 * @param parts names of the layers, without `.weight`
 */
export function linear(
  { graph, weights }: StageContext,
  x: Value,
  name: string,
  parts: readonly string[] = [name],
): Value {
  const matrices = parts.map((part) => `${part}.weight`);
  const product = graph.op('MatMul', [x, graph.weight(weights.transposed(`${name}.weight`, matrices))]);
  const [bias] = parts.map((part) => `${part}.bias`);
  if (parts.length !== 1 || bias === undefined || !weights.has(bias)) return product;
  return graph.op('Add', [product, graph.weight(weights.plain(bias))]);
}
