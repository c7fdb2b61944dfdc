/**
 * The decoder layers of `voxcpm/modules/minicpm4/model.py`: with caches for the language models, over short sequences
 * for the local stacks. Stable value names: `<stack>.layers.<i>.output` (the residual stream after a layer), `.keys`,
 * `.values`, and `<stack>.output`.
 */
import {
  type ModelConfig,
  type TransformerShape,
  type TransformerStack,
  transformerShapes,
} from '../../model-config.ts';
import type { Value } from '../graph.ts';
import { linear, type StageContext } from '../linear.ts';
import type { RopeTables } from './rope.ts';

export interface StackOptions {
  readonly stack: TransformerStack;
  /** Prefix of value names. */
  readonly name: string;
  readonly config: ModelConfig;
  /** Undefined without position embeddings. */
  readonly rope?: RopeTables | undefined;
}

/** Past keys `[batch, kvHeads, headDim, past]` and values `[batch, kvHeads, past, headDim]` of one layer. */
export interface LayerCache {
  readonly keys: Value;
  readonly values: Value;
}

export interface CachedInputs {
  /** `[batch, length]`, or `[1]` for the first position of all sequences. */
  readonly positions: Value;
  /** `[batch or 1, 1, length, past + length]`, added to the scores. */
  readonly bias: Value;
  /** Undefined if there are no earlier positions. */
  readonly past?: readonly LayerCache[] | undefined;
}

const microsoft = 'com.microsoft';

/** The residual stream and the value to add at the next norm. */
interface Stream {
  readonly stream: Value;
  readonly branch?: Value | undefined;
}

class Stack {
  readonly context: StageContext;
  readonly options: StackOptions;
  readonly shape: TransformerShape;
  readonly #residualScale: number;

  constructor(context: StageContext, options: StackOptions) {
    this.context = context;
    this.options = options;
    this.shape = transformerShapes(options.config)[options.stack];
    const { use_mup: isScaled, scale_depth: depth } = options.config.lm_config;
    this.#residualScale = isScaled ? depth / Math.sqrt(this.shape.layers) : 1;
  }

  layer(index: number): string {
    return `${this.options.stack}.layers.${index}`;
  }

  /** RMS norm of the stream after adding the branch to it: `[normalised, sum]`. */
  norm({ stream, branch }: Stream, weight: string): [Value, Value] {
    const { graph, weights } = this.context;
    const gain = graph.weight(weights.plain(`${weight}.weight`));
    const { rms_norm_eps: epsilon } = this.options.config.lm_config;
    if (branch === undefined) {
      // onnxruntime fuses these nodes when it loads the file; its own operator is in no opset that can be imported.
      const square = graph.op('Pow', [stream, graph.float(2)]);
      const mean = graph.op('ReduceMean', [square, graph.integers([-1])], { keepdims: 1 });
      const root = graph.op('Sqrt', [graph.op('Add', [mean, graph.float(epsilon)])]);
      return [graph.op('Mul', [graph.op('Div', [stream, root]), gain]), stream];
    }
    const attributes = { epsilon: { float: epsilon } };
    const outputs = graph.ops('SkipSimplifiedLayerNormalization', [stream, branch, gain], 4, attributes, microsoft);
    // The two in between are statistics for training.
    for (const unused of outputs.slice(1, 3)) unused.name = '';
    return [outputs[0] as Value, outputs[3] as Value];
  }

  scaled(branch: Value): Value {
    const { graph } = this.context;
    return this.#residualScale === 1 ? branch : graph.op('Mul', [branch, graph.float(this.#residualScale)]);
  }

  /** Rotated queries and keys, and values, each `[batch, length, heads · headDim]`. */
  project(index: number, h: Value, positions: Value | undefined): { queries: Value; keys: Value; values: Value } {
    const { graph } = this.context;
    const { heads, kvHeads, headDim } = this.shape;
    const attention = `${this.layer(index)}.self_attn`;
    const parts = ['q_proj', 'k_proj', 'v_proj'].map((part) => `${attention}.${part}`);
    const joined = linear(this.context, h, `${attention}.qkv_proj`, parts);
    const both = graph.integers([(heads + kvHeads) * headDim, kvHeads * headDim]);
    const [unrotated, values] = graph.ops('Split', [joined, both], 2, { axis: -1 }) as [Value, Value];
    const { rope } = this.options;
    const rotated =
      rope === undefined || positions === undefined
        ? unrotated
        : graph.op('RotaryEmbedding', [unrotated, positions, rope.cosines, rope.sines], {}, microsoft);
    const apart = graph.integers([heads * headDim, kvHeads * headDim]);
    const [queries, keys] = graph.ops('Split', [rotated, apart], 2, { axis: -1 }) as [Value, Value];
    return { queries, keys, values };
  }

  /**
   * Reshapes `[batch, length, heads · headDim]` to `[batch, kvHeads, group · length, headDim]`, scaled for the softmax.
   */
  groupQueries(queries: Value): Value {
    const { graph } = this.context;
    const { heads, kvHeads, headDim } = this.shape;
    const split = graph.op('Reshape', [queries, graph.integers([0, 0, heads, headDim])]);
    const byHead = graph.op('Transpose', [split], { perm: [0, 2, 1, 3] });
    const scaled = graph.op('Mul', [byHead, graph.float(1 / Math.sqrt(headDim))]);
    return graph.op('Reshape', [scaled, graph.integers([0, kvHeads, -1, headDim])]);
  }

  /** Reshapes keys to `[batch, kvHeads, headDim, length]`, values to `[batch, kvHeads, length, headDim]`. */
  byHead(rows: Value, kind: 'keys' | 'values'): Value {
    const { graph } = this.context;
    const split = graph.op('Reshape', [rows, graph.integers([0, 0, this.shape.kvHeads, this.shape.headDim])]);
    return graph.op('Transpose', [split], { perm: kind === 'keys' ? [0, 2, 3, 1] : [0, 2, 1, 3] });
  }

  /** Merges the outputs of the heads and applies the output projection. */
  mergeHeads(index: number, attended: Value): Value {
    const { graph } = this.context;
    const { heads, headDim } = this.shape;
    const byHead = graph.op('Reshape', [attended, graph.integers([0, heads, -1, headDim])]);
    const rows = graph.op('Transpose', [byHead], { perm: [0, 2, 1, 3] });
    const joined = graph.op('Reshape', [rows, graph.integers([0, 0, heads * headDim])]);
    return this.scaled(linear(this.context, joined, `${this.layer(index)}.self_attn.o_proj`));
  }

  feedForward(index: number, h: Value): Value {
    const { graph } = this.context;
    const mlp = `${this.layer(index)}.mlp`;
    const parts = [`${mlp}.gate_proj`, `${mlp}.up_proj`];
    const joined = linear(this.context, h, `${mlp}.gate_up_proj`, parts);
    const { intermediate } = this.shape;
    const halves = graph.integers([intermediate, intermediate]);
    const [gate, up] = graph.ops('Split', [joined, halves], 2, { axis: -1 }) as [Value, Value];
    const active = graph.op('Mul', [silu(this.context, gate), up]);
    return this.scaled(linear(this.context, active, `${mlp}.down_proj`));
  }
}

export const silu = ({ graph }: StageContext, x: Value): Value =>
  graph.op('QuickGelu', [x], { alpha: { float: 1 } }, microsoft);

/** Scores past and new positions separately and joins the scores; joining the caches would copy them. */
function attend(
  { graph }: StageContext,
  queries: Value,
  own: LayerCache,
  past: LayerCache | undefined,
  { bias, lengths }: { readonly bias: Value; readonly lengths: Value | undefined },
): Value {
  const shares = (scores: Value): Value => graph.op('Softmax', [graph.op('Add', [scores, bias])], { axis: -1 });
  const ofOwn = graph.op('MatMul', [queries, own.keys]);
  if (past === undefined) return graph.op('MatMul', [shares(ofOwn), own.values]);
  const both = graph.op('Concat', [graph.op('MatMul', [queries, past.keys]), ofOwn], { axis: -1 });
  const [sharesOfPast, sharesOfOwn] = graph.ops('Split', [shares(both), lengths], 2, { axis: -1 }) as [Value, Value];
  return graph.op('Add', [
    graph.op('MatMul', [sharesOfPast, past.values]),
    graph.op('MatMul', [sharesOfOwn, own.values]),
  ]);
}

export interface CachedStack {
  /** `[batch, length, hidden]`. */
  readonly output: Value;
  /** The new positions of every layer. */
  readonly caches: readonly LayerCache[];
}

/** Causal layers over past and new positions; `x` is `[batch, length, hidden]`. */
export function cachedStack(context: StageContext, options: StackOptions, x: Value, inputs: CachedInputs): CachedStack {
  const { graph } = context;
  const stack = new Stack(context, options);
  const { layers, heads, kvHeads } = stack.shape;
  // Queries that share a key-value head are consecutive.
  const bias = graph.op('Tile', [inputs.bias, graph.integers([1, 1, heads / kvHeads, 1])]);
  const [first] = inputs.past ?? [];
  // Numbers of past and of new positions.
  const lengths =
    first &&
    graph.op(
      'Concat',
      [graph.op('Shape', [first.values], { start: 2, end: 3 }), graph.op('Shape', [x], { start: 1, end: 2 })],
      { axis: 0 },
    );
  const caches: LayerCache[] = [];
  let current: Stream = { stream: x };
  for (let index = 0; index < layers; index += 1) {
    const [h, before] = stack.norm(current, `${stack.layer(index)}.input_layernorm`);
    if (index > 0) graph.label(before, `${options.name}.layers.${index - 1}.output`);
    const { queries, keys, values } = stack.project(index, h, inputs.positions);
    const grouped = stack.groupQueries(queries);
    const cache = { keys: stack.byHead(keys, 'keys'), values: stack.byHead(values, 'values') };
    graph.label(cache.keys, `${options.name}.layers.${index}.keys`);
    graph.label(cache.values, `${options.name}.layers.${index}.values`);
    caches.push(cache);
    const attended = attend(context, grouped, cache, inputs.past?.[index], { bias, lengths });
    const branch = stack.mergeHeads(index, attended);
    const [h2, middle] = stack.norm({ stream: before, branch }, `${stack.layer(index)}.post_attention_layernorm`);
    current = { stream: middle, branch: stack.feedForward(index, h2) };
  }
  const [output, last] = stack.norm(current, `${options.stack}.norm`);
  graph.label(last, `${options.name}.layers.${layers - 1}.output`);
  return { output: graph.label(output, `${options.name}.output`), caches };
}

/**
 * Layers without a mask over sequences of fixed length; `x` is `[batch, length, hidden]`. In the last layer all
 * positions are keys, but only `count` positions from `first` are queries: `[batch, count, hidden]`.
 */
export function localStack(
  context: StageContext,
  options: StackOptions,
  x: Value,
  positions: Value,
  wanted: { readonly first: number; readonly count: number },
): Value {
  const { graph } = context;
  const stack = new Stack(context, options);
  const cut = (rows: Value): Value => {
    const [start, end] = [graph.integers([wanted.first]), graph.integers([wanted.first + wanted.count])];
    return graph.op('Slice', [rows, start, end, graph.integers([1])]);
  };
  let current: Stream = { stream: x };
  for (let index = 0; index < stack.shape.layers; index += 1) {
    const isLast = index + 1 === stack.shape.layers;
    const [h, before] = stack.norm(current, `${stack.layer(index)}.input_layernorm`);
    const { queries, keys, values } = stack.project(index, h, positions);
    const grouped = stack.groupQueries(isLast ? cut(queries) : queries);
    const scores = graph.op('MatMul', [grouped, stack.byHead(keys, 'keys')]);
    const shares = graph.op('Softmax', [scores], { axis: -1 });
    const attended = graph.op('MatMul', [shares, stack.byHead(values, 'values')]);
    const stream = isLast ? cut(before) : before;
    const branch = stack.mergeHeads(index, attended);
    const [h2, middle] = stack.norm({ stream, branch }, `${stack.layer(index)}.post_attention_layernorm`);
    current = { stream: middle, branch: stack.feedForward(index, h2) };
  }
  const [output] = stack.norm(current, `${options.stack}.norm`);
  return graph.label(output, `${options.name}.output`);
}
