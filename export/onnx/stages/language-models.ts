/**
 * The graph for prefill and step: embeddings, base LM, FSQ, residual LM, stop head and the condition of the next patch,
 * like `_inference` of the official `voxcpm/model/voxcpm.py` and `voxcpm2.py`. Prefill uses the caches of all positions
 * except the last one; a step uses all outputs of one position.
 */
import { type ModelConfig, transformerShapes } from '../../model-config.ts';
import type { Value } from '../graph.ts';
import { linear, type StageContext } from '../linear.ts';
import { ropeTables } from './rope.ts';
import { type CachedInputs, type CachedStack, cachedStack, type LayerCache, localStack, silu } from './transformer.ts';

/** Embeds latent patches `[patches, patchSize, featureDim]` for the base LM `[patches, hidden]`. */
export function localEncoder(context: StageContext, config: ModelConfig, patches: Value): Value {
  const { graph, weights } = context;
  const shape = transformerShapes(config)['feat_encoder.encoder'];
  const frames = linear(context, patches, 'feat_encoder.in_proj');
  const special = graph.weight(weights.plain('feat_encoder.special_token', [1, 1, shape.hidden]));
  const count = graph.op('Shape', [patches], { start: 0, end: 1 });
  const each = graph.op('Concat', [count, graph.integers([1, shape.hidden])], { axis: 0 });
  const tokens = graph.op('Concat', [graph.op('Expand', [special, each]), frames], { axis: 1 });
  const length = 1 + config.patch_size;
  const isRotated = !config.lm_config.no_rope;
  const rope = isRotated ? ropeTables(graph, 'feat_encoder.rope', config.lm_config, shape.headDim, length) : undefined;
  const options = { stack: 'feat_encoder.encoder', name: 'local_encoder.stack', config, rope } as const;
  const summary = localStack(context, options, tokens, graph.integers([0]), { first: 0, count: 1 });
  const flat = graph.op('Reshape', [summary, graph.integers([-1, shape.hidden])]);
  graph.label(flat, 'local_encoder.output');
  return graph.label(linear(context, flat, 'enc_to_lm_proj'), 'local_encoder.projected');
}

/** Finite scalar quantization of hidden states; `Round` rounds half to even, like the official code. */
export function scalarQuantization(context: StageContext, config: ModelConfig, x: Value): Value {
  const { graph } = context;
  const scale = graph.float(config.scalar_quantization_scale);
  const bounded = graph.label(graph.op('Tanh', [linear(context, x, 'fsq_layer.in_proj')]), 'fsq.tanh');
  const rounded = graph.op('Round', [graph.op('Mul', [bounded, scale])]);
  const quantized = graph.label(graph.op('Div', [rounded, scale]), 'fsq.quantized');
  return graph.label(linear(context, quantized, 'fsq_layer.out_proj'), 'fsq.output');
}

/** Embeds token ids for the base LM, `[…, hidden]`. */
export function embedTokens({ graph, weights }: StageContext, config: ModelConfig, tokens: Value): Value {
  const { use_mup: isScaled, scale_emb: scale } = config.lm_config;
  const rows = graph.op('Gather', [graph.weight(weights.plain('base_lm.embed_tokens.weight')), tokens]);
  return isScaled && scale !== 1 ? graph.op('Mul', [rows, graph.float(scale)]) : rows;
}

/** Combines hidden states and embeddings of the same positions (zero at text) for the residual LM. */
export function fuse(context: StageContext, config: ModelConfig, hidden: Value, embeddings: Value): Value {
  const { graph } = context;
  if (config.architecture === 'voxcpm') return graph.op('Add', [hidden, embeddings]);
  const pair = graph.label(graph.op('Concat', [hidden, embeddings], { axis: -1 }), 'fusion.input');
  return linear(context, pair, 'fusion_concat_proj');
}

/** The condition of the local DiT `[batch, tokens, width]`: one token in model 1, two in model 2. */
export function condition(context: StageContext, config: ModelConfig, lmHidden: Value, residualHidden: Value): Value {
  const { graph } = context;
  const lm = linear(context, lmHidden, 'lm_to_dit_proj');
  const residual = linear(context, residualHidden, 'res_to_dit_proj');
  const joined =
    config.architecture === 'voxcpm'
      ? graph.op('Add', [lm, residual])
      : graph.op('Concat', [lm, residual], { axis: -1 });
  return graph.op('Reshape', [joined, graph.integers([0, -1, config.dit_config.hidden_dim])]);
}

/** Logits `[…, 2]`: continue, stop. */
export function stopHead(context: StageContext, hidden: Value): Value {
  return linear(context, silu(context, linear(context, hidden, 'stop_proj')), 'stop_head');
}

export interface BothModels {
  /** Hidden states of the base LM, quantized at audio positions. */
  readonly lmStates: Value;
  readonly baseLm: CachedStack;
  readonly residualLm: CachedStack;
}

/**
 * Base LM, FSQ and residual LM over the same positions.
 *
 * @param isAudio bool `[batch, length, 1]`; undefined if every position is audio
 * @param inputs caches of the layers of the base LM, then of the residual LM
 */
export function bothModels(
  context: StageContext,
  config: ModelConfig,
  embeddings: Value,
  isAudio: Value | undefined,
  inputs: CachedInputs,
): BothModels {
  const { graph } = context;
  const { base_lm: base } = transformerShapes(config);
  const isRotated = !config.lm_config.no_rope;
  const rope = isRotated ? ropeTables(graph, 'lm.rope', config.lm_config, base.headDim, config.max_length) : undefined;
  const baseOptions = { stack: 'base_lm', name: 'base_lm', config, rope } as const;
  const baseInputs = { ...inputs, past: inputs.past?.slice(0, base.layers) };
  const baseLm = cachedStack(context, baseOptions, embeddings, baseInputs);
  const quantized = scalarQuantization(context, config, baseLm.output);
  const atAudio = (audio: Value, text: Value): Value => (isAudio ? graph.op('Where', [isAudio, audio, text]) : audio);
  const lmStates = atAudio(quantized, baseLm.output);
  const fused = fuse(context, config, lmStates, atAudio(embeddings, graph.float(0)));
  graph.label(fused, 'residual_lm.input');
  const hasNoRope = config.architecture === 'voxcpm2' && config.residual_lm_no_rope;
  const residualOptions = {
    stack: 'residual_lm',
    name: 'residual_lm',
    config,
    rope: hasNoRope ? undefined : rope,
  } as const;
  const residualInputs = { ...inputs, past: inputs.past?.slice(base.layers) };
  return { lmStates, baseLm, residualLm: cachedStack(context, residualOptions, fused, residualInputs) };
}

/** Adds all inputs, nodes and outputs to the graph. */
export function buildLanguageModels(context: StageContext, config: ModelConfig): void {
  const { graph } = context;
  const { base_lm: base, residual_lm: residual } = transformerShapes(config);
  const { hidden, kvHeads, headDim } = base;
  const tokens = graph.input('tokens', 'int64', ['batch', 'length']);
  const audio = graph.input('audio', 'bool', ['batch', 'length']);
  const patches = graph.input('patches', 'float32', ['patches', config.patch_size, config.feat_dim]);
  const rows = graph.input('rows', 'int64', ['batch', 'length']);
  const positions = graph.input('positions', 'int64', ['batch', 'length']);
  const bias = graph.input('bias', 'float32', ['batch', 1, 'length', 'total']);
  const past: LayerCache[] = [];
  for (let index = 0; index < base.layers + residual.layers; index += 1) {
    past.push({
      keys: graph.input(`past_keys.${index}`, 'float32', ['batch', kvHeads, headDim, 'past']),
      values: graph.input(`past_values.${index}`, 'float32', ['batch', kvHeads, 'past', headDim]),
    });
  }

  const ofTokens = graph.label(embedTokens(context, config, tokens), 'token_embeddings');
  const flat = graph.op('Reshape', [ofTokens, graph.integers([-1, hidden])]);
  const both = graph.op('Concat', [flat, localEncoder(context, config, patches)], { axis: 0 });
  const embeddings = graph.label(graph.op('Gather', [both, rows]), 'embeddings');
  const isAudio = graph.op('Unsqueeze', [audio, graph.integers([2])]);

  const { lmStates, baseLm, residualLm } = bothModels(context, config, embeddings, isAudio, {
    positions,
    bias,
    past,
  });

  const last = (states: Value): Value => graph.op('Gather', [states, graph.integer(-1)], { axis: 1 });
  const lmHidden = last(lmStates);
  const residualHidden = last(residualLm.output);
  graph.output('lm_hidden', lmHidden, 'float32', ['batch', hidden]);
  graph.output('residual_hidden', residualHidden, 'float32', ['batch', hidden]);
  graph.output('stop_logits', stopHead(context, lmHidden), 'float32', ['batch', 2]);
  const ditWidth = config.dit_config.hidden_dim;
  const conditionTokens = config.architecture === 'voxcpm' ? 1 : 2;
  const made = condition(context, config, lmHidden, residualHidden);
  graph.output('condition', made, 'float32', ['batch', conditionTokens, ditWidth]);
  const caches = [...baseLm.caches, ...residualLm.caches];
  const all = caches.length * kvHeads;
  // Only new positions are outputs; the caller keeps the caches.
  const joined = (kind: keyof LayerCache): Value =>
    graph.op(
      'Concat',
      caches.map((cache) => cache[kind]),
      { axis: 1 },
    );
  graph.output('new_keys', joined('keys'), 'float32', ['batch', all, headDim, 'length']);
  graph.output('new_values', joined('values'), 'float32', ['batch', all, 'length', headDim]);
}
