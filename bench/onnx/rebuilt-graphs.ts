/**
 * VoxCPM's step as two hand-written graphs in the fastest known configuration of onnxruntime: contrib attention with
 * packed projections over full caches of fixed length, and the flow as one loop with constant time embeddings. They share
 * the matrices with svc's graphs, but not attention, caches or inputs.
 */

import { type ModelConfig, type TransformerStack, transformerShapes } from '../../export/model-config.ts';
import { GraphBuilder, type Value } from '../../export/onnx/graph.ts';
import { linear, type StageContext } from '../../export/onnx/linear.ts';
import { bothBranches, guide, timeEmbeddings } from '../../export/onnx/stages/flow.ts';
import { condition, scalarQuantization, stopHead } from '../../export/onnx/stages/language-models.ts';
import { type RopeTables, ropeTables } from '../../export/onnx/stages/rope.ts';
import { silu } from '../../export/onnx/stages/transformer.ts';
import { flowSchedule } from '../../src/engine/backends/onnx/exported/flow.ts';

const microsoft = 'com.microsoft';
const estimator = 'feat_decoder.estimator';

interface Attention {
  /** 1 if a position attends only to itself and earlier ones. */
  readonly causal: 0 | 1;
  /** Last position of each sequence, int32 `[batch]`, and the longest length, int32 scalar. */
  readonly last: Value;
  readonly total: Value;
  readonly rope: RopeTables;
  /** Past keys and values of each layer, `[batch, kvHeads, capacity, headDim]`. */
  readonly past?: readonly (readonly [Value, Value])[];
}

interface StackResult {
  readonly output: Value;
  readonly present: readonly (readonly [Value, Value])[];
}

function layerStack(
  context: StageContext,
  config: ModelConfig,
  stack: TransformerStack,
  x: Value,
  { causal, last, total, rope, past }: Attention,
): StackResult {
  const { graph, weights } = context;
  const { layers, heads, kvHeads, intermediate } = transformerShapes(config)[stack];
  const epsilon = { float: config.lm_config.rms_norm_eps };
  const gain = (name: string): Value => graph.weight(weights.plain(`${name}.weight`));
  const skipNorm = (stream: Value, branch: Value, name: string): [Value, Value] => {
    const outputs = graph.ops(
      'SkipSimplifiedLayerNormalization',
      [stream, branch, gain(name)],
      4,
      { epsilon },
      microsoft,
    );
    for (const unused of outputs.slice(1, 3)) unused.name = '';
    return [outputs[0] as Value, outputs[3] as Value];
  };
  const first = `${stack}.layers.0.input_layernorm`;
  let stream = x;
  let h = graph.op('SimplifiedLayerNormalization', [x, gain(first)], { axis: -1, epsilon, stash_type: 1 });
  const present: [Value, Value][] = [];
  for (let index = 0; index < layers; index += 1) {
    const layer = `${stack}.layers.${index}`;
    const parts = ['q_proj', 'k_proj', 'v_proj'].map((part) => `${layer}.self_attn.${part}`);
    const packed = linear(context, h, `${layer}.self_attn.qkv_proj`, parts);
    const [pastKeys, pastValues] = past?.[index] ?? [];
    const [attended, keys, values] = graph.ops(
      'GroupQueryAttention',
      [packed, undefined, undefined, pastKeys, pastValues, last, total, rope.cosines, rope.sines],
      3,
      { num_heads: heads, kv_num_heads: kvHeads, do_rotary: 1, ...(causal === 0 ? { causal } : {}) },
      microsoft,
    ) as [Value, Value, Value];
    present.push([keys, values]);
    const projected = linear(context, attended, `${layer}.self_attn.o_proj`);
    const [h2, middle] = skipNorm(stream, projected, `${layer}.post_attention_layernorm`);
    const joined = linear(context, h2, `${layer}.mlp.gate_up_proj`, [`${layer}.mlp.gate_proj`, `${layer}.mlp.up_proj`]);
    const halves = graph.integers([intermediate, intermediate]);
    const [gate, up] = graph.ops('Split', [joined, halves], 2, { axis: -1 }) as [Value, Value];
    const down = linear(context, graph.op('Mul', [silu(context, gate), up]), `${layer}.mlp.down_proj`);
    const next = index + 1 < layers ? `${stack}.layers.${index + 1}.input_layernorm` : `${stack}.norm`;
    [h, stream] = skipNorm(middle, down, next);
  }
  return { output: h, present };
}

/** Attention without a past over `length` positions of `batch` sequences. */
function local(context: StageContext, config: ModelConfig, name: string, batch: number, length: number): Attention {
  const { graph } = context;
  const { headDim } = transformerShapes(config)['feat_encoder.encoder'];
  const rope = ropeTables(graph, `${name}.rope`, config.lm_config, headDim, length);
  const int32 = (value: Value): Value => graph.op('Cast', [value], { to: 6 });
  const last = int32(graph.integers(Array.from({ length: batch }, () => length - 1)));
  return { causal: 0, last, total: int32(graph.integer(length)), rope };
}

/** One position of one utterance: local encoder, base LM, FSQ, residual LM, stop head, condition. */
export function emitStep(context: StageContext, config: ModelConfig, capacity: number): void {
  const { graph, weights } = context;
  const { base_lm: base, residual_lm: residual } = transformerShapes(config);
  const patch = graph.input('patch', 'float32', [1, config.patch_size, config.feat_dim]);
  const last = graph.input('last', 'int32', [1]);
  const total = graph.input('total', 'int32', []);
  const cache = [1, base.kvHeads, capacity, base.headDim] as const;
  const past = Array.from({ length: base.layers + residual.layers }, (_, index): [Value, Value] => [
    graph.input(`past_key.${index}`, 'float32', cache),
    graph.input(`past_value.${index}`, 'float32', cache),
  ]);
  const special = graph.weight(weights.plain('feat_encoder.special_token', [1, 1, config.lm_config.hidden_size]));
  const tokens = graph.op('Concat', [special, linear(context, patch, 'feat_encoder.in_proj')], { axis: 1 });
  const encoder = local(context, config, 'feat_encoder', 1, 1 + config.patch_size);
  const states = layerStack(context, config, 'feat_encoder.encoder', tokens, encoder).output;
  const summary = graph.op('Slice', [states, graph.integers([0]), graph.integers([1]), graph.integers([1])]);
  const embedded = linear(context, summary, 'enc_to_lm_proj');
  const rope = ropeTables(graph, 'lm.rope', config.lm_config, base.headDim, config.max_length);
  const shared = { causal: 1, last, total, rope } as const;
  const baseLm = layerStack(context, config, 'base_lm', embedded, { ...shared, past: past.slice(0, base.layers) });
  const hidden = scalarQuantization(context, config, baseLm.output);
  const fused = graph.op('Add', [hidden, embedded]);
  const rest = past.slice(base.layers);
  const residualLm = layerStack(context, config, 'residual_lm', fused, { ...shared, past: rest });
  graph.output('stop', stopHead(context, hidden), 'float32', [1, 1, 2]);
  const made = condition(context, config, hidden, residualLm.output);
  graph.output('condition', made, 'float32', [1, 1, config.dit_config.hidden_dim]);
  for (const [index, [keys, values]] of [...baseLm.present, ...residualLm.present].entries()) {
    graph.output(`present_key.${index}`, keys, 'float32', cache);
    graph.output(`present_value.${index}`, values, 'float32', cache);
  }
}

/** All Euler steps of one patch. */
export function emitFlow(context: StageContext, config: ModelConfig, timesteps: number): void {
  const { graph } = context;
  const width = config.dit_config.hidden_dim;
  const { patch_size: patchSize, feat_dim: featureDim } = config;
  const patch = [1, patchSize, featureDim] as const;
  const noise = graph.input('noise', 'float32', patch);
  const mu = graph.input('condition', 'float32', [1, 1, width]);
  const before = graph.input('before', 'float32', patch);
  const cfg = graph.op('Reshape', [graph.input('cfg', 'float32', []), graph.integers([1, 1, 1])]);
  const { times, deltas, steps } = flowSchedule({ timesteps, isMeanMode: false });
  const embeddings = timeEmbeddings(context, config, graph.floats(times), graph.floats(deltas));
  const bothMu = bothBranches(context, mu);
  const projected = linear(context, before, `${estimator}.cond_proj`);
  const bothBefore = graph.op('Concat', [projected, projected], { axis: 0 });
  const attention = local(context, config, estimator, 2, 1 + 2 * patchSize);

  const body = new GraphBuilder('euler', graph);
  const inner: StageContext = { ...context, graph: body };
  const index = body.bodyInput('call', 'int64', []);
  const goOn = body.bodyInput('go_on', 'bool', []);
  const x = body.bodyInput('x', 'float32', patch);
  const frames = linear(inner, body.op('Concat', [x, x], { axis: 0 }), `${estimator}.in_proj`);
  const time = body.op('Reshape', [body.op('Gather', [embeddings, index]), body.integers([1, 1, width])]);
  const tokens = body.op('Concat', [body.op('Add', [bothMu, time]), bothBefore, frames], { axis: 1 });
  const states = layerStack(inner, config, `${estimator}.decoder`, tokens, attention).output;
  const wanted = body.op('Slice', [
    states,
    body.integers([1 + patchSize]),
    body.integers([1 + 2 * patchSize]),
    body.integers([1]),
  ]);
  const velocity = guide(inner, linear(inner, wanted, `${estimator}.out_proj`), { cfg });
  const move = body.op('Mul', [velocity, body.op('Gather', [graph.floats(steps), index])]);
  body.bodyOutput(body.op('Identity', [goOn]), 'bool', []);
  body.bodyOutput(body.op('Sub', [x, move]), 'float32', patch);
  const [made] = graph.ops('Loop', [graph.integer(steps.length), undefined, noise], 1, { body }) as [Value];
  graph.output('made', made, 'float32', patch);
}
