/**
 * Flow matching: `UnifiedCFM.solve_euler` of the official `voxcpm/modules/locdit/unified_cfm.py` around the local DiT
 * (`local_dit.py`, `local_dit_v2.py`). The schedule is an input, so one graph supports any number of timesteps.
 */
import { type ModelConfig, transformerShapes } from '../../model-config.ts';
import { GraphBuilder, type Value } from '../graph.ts';
import { linear, type StageContext } from '../linear.ts';
import { ropeTables } from './rope.ts';
import { localStack, silu } from './transformer.ts';

const estimator = 'feat_decoder.estimator';

const conditionTokens = ({ architecture }: ModelConfig): number => (architecture === 'voxcpm' ? 1 : 2);

/** Sinusoidal embedding of times `[n]` to `[n, width]`: sines, then cosines. */
function sinusoids({ graph }: StageContext, width: number, times: Value): Value {
  const half = width / 2;
  const decay = Math.fround(Math.log(10000) / (half - 1));
  const frequencies = Float32Array.from({ length: half }, (_, index) => Math.exp(Math.fround(index * -decay)));
  const column = graph.op('Unsqueeze', [graph.op('Mul', [times, graph.float(1000)]), graph.integers([1])]);
  const angles = graph.op('Mul', [column, graph.floats(frequencies, [1, half])]);
  return graph.op('Concat', [graph.op('Sin', [angles]), graph.op('Cos', [angles])], { axis: 1 });
}

function timeMlp(context: StageContext, name: string, embedding: Value): Value {
  const first = silu(context, linear(context, embedding, `${estimator}.${name}.linear_1`));
  return linear(context, first, `${estimator}.${name}.linear_2`);
}

/** Builds the graph that embeds the times of a schedule, run once per schedule. */
export function buildSchedule(context: StageContext, config: ModelConfig): void {
  const { graph } = context;
  const width = config.dit_config.hidden_dim;
  const times = graph.input('times', 'float32', ['calls']);
  const deltas = graph.input('deltas', 'float32', ['calls']);
  graph.output('embeddings', timeEmbeddings(context, config, times, deltas), 'float32', ['calls', width]);
}

/** Embeds times and deltas `[calls]` to `[calls, width]`. */
export function timeEmbeddings(context: StageContext, config: ModelConfig, times: Value, deltas: Value): Value {
  const { graph } = context;
  const width = config.dit_config.hidden_dim;
  const ofTime = graph.label(sinusoids(context, width, times), 'time.sinusoids');
  const ofDelta = graph.label(sinusoids(context, width, deltas), 'delta_time.sinusoids');
  const time = graph.label(timeMlp(context, 'time_mlp', ofTime), 'time.output');
  const delta = graph.label(timeMlp(context, 'delta_time_mlp', ofDelta), 'delta_time.output');
  return graph.op('Add', [time, delta]);
}

export interface DitInputs {
  /** Noisy patches `[batch, patchSize, featureDim]`. */
  readonly x: Value;
  /** `[batch, conditionTokens, width]`. */
  readonly mu: Value;
  /** `[1, 1, width]` or `[batch, 1, width]`. */
  readonly time: Value;
  /** Projected previous patches `[batch, patchSize, width]`. */
  readonly before: Value;
}

/** The velocity `[batch, patchSize, featureDim]`. */
export function localDit(context: StageContext, config: ModelConfig, { x, mu, time, before }: DitInputs): Value {
  const { graph } = context;
  const shape = transformerShapes(config)['feat_decoder.estimator.decoder'];
  const { patch_size: patchSize } = config;
  const frames = linear(context, x, `${estimator}.in_proj`);
  let head: Value[];
  if (config.architecture === 'voxcpm') {
    head = [graph.op('Add', [mu, time])];
  } else {
    const count = graph.op('Shape', [x], { start: 0, end: 1 });
    const each = graph.op('Concat', [count, graph.integers([1, shape.hidden])], { axis: 0 });
    head = [mu, graph.op('Expand', [time, each])];
  }
  const tokens = graph.op('Concat', [...head, before, frames], { axis: 1 });
  // Model 1 adds the time to its single condition token, model 2 has a separate token for it.
  const first = (config.architecture === 'voxcpm' ? 1 : 3) + patchSize;
  const length = first + patchSize;
  const isRotated = !config.lm_config.no_rope;
  const rope = isRotated ? ropeTables(graph, `${estimator}.rope`, config.lm_config, shape.headDim, length) : undefined;
  const options = { stack: 'feat_decoder.estimator.decoder', name: 'dit.stack', config, rope } as const;
  const states = localStack(context, options, tokens, graph.integers([0]), { first, count: patchSize });
  return linear(context, states, `${estimator}.out_proj`);
}

/** Projects the previous patch for the local DiT. */
const projectBefore = (context: StageContext, patch: Value): Value => linear(context, patch, `${estimator}.cond_proj`);

/** Both guidance branches as one batch: with the condition and with zeros. */
export function bothBranches({ graph }: StageContext, mu: Value): Value {
  return graph.op('Concat', [mu, graph.op('Sub', [mu, mu])], { axis: 0 });
}

export interface Guidance {
  /** `[batch, 1, 1]`. */
  readonly cfg: Value;
  /** Scalar. Default: true. */
  readonly zeroStar?: Value | undefined;
}

/** Combines both halves of `velocity`, the second rescaled by projection (CFG-Zero*). */
export function guide({ graph }: StageContext, velocity: Value, { cfg, zeroStar }: Guidance): Value {
  const [conditional, unconditional] = graph.ops('Split', [velocity], 2, { axis: 0, num_outputs: 2 }) as [Value, Value];
  const sum = (product: Value): Value => graph.op('ReduceSum', [product, graph.integers([1, 2])], { keepdims: 1 });
  const dot = sum(graph.op('Mul', [conditional, unconditional]));
  const square = graph.op('Add', [sum(graph.op('Mul', [unconditional, unconditional])), graph.float(1e-8)]);
  const projection = graph.op('Div', [dot, square]);
  const star = zeroStar ? graph.op('Where', [zeroStar, projection, graph.float(1)]) : projection;
  const base = graph.op('Mul', [unconditional, star]);
  return graph.op('Add', [base, graph.op('Mul', [cfg, graph.op('Sub', [conditional, base])])]);
}

export interface FlowInputs {
  /** `[batch, patchSize, featureDim]`. */
  readonly noise: Value;
  /** `[batch, conditionTokens, width]`. */
  readonly mu: Value;
  /** The previous patch, in the shape of the noise. */
  readonly before: Value;
  readonly guidance: Guidance;
  /** `[calls, width]`. */
  readonly embeddings: Value;
  /** `[calls]`. */
  readonly steps: Value;
}

/** The Euler steps as a loop; returns the patch and the inputs of all calls. */
export function eulerLoop(context: StageContext, config: ModelConfig, inputs: FlowInputs): [Value, Value] {
  const { graph } = context;
  const width = config.dit_config.hidden_dim;
  const patch = ['batch', config.patch_size, config.feat_dim] as const;
  const bothMu = graph.label(bothBranches(context, inputs.mu), 'dit.mu');
  const projected = graph.label(projectBefore(context, inputs.before), 'dit.projected');
  const bothBefore = graph.label(graph.op('Concat', [projected, projected], { axis: 0 }), 'dit.before');
  const calls = graph.op('Squeeze', [graph.op('Shape', [inputs.steps])]);

  const body = new GraphBuilder('euler', graph);
  const inner: StageContext = { ...context, graph: body };
  const index = body.bodyInput('call', 'int64', []);
  const goOn = body.bodyInput('go_on', 'bool', []);
  const x = body.bodyInput('x', 'float32', patch);
  const both = body.label(body.op('Concat', [x, x], { axis: 0 }), 'dit.x');
  const embedding = body.op('Gather', [inputs.embeddings, index]);
  const time = body.label(body.op('Reshape', [embedding, body.integers([1, 1, width])]), 'dit.time');
  const velocity = localDit(inner, config, { x: both, mu: bothMu, time, before: bothBefore });
  body.label(velocity, 'dit.velocity');
  const guided = guide(inner, velocity, inputs.guidance);
  const move = body.op('Mul', [guided, body.op('Gather', [inputs.steps, index])]);
  body.bodyOutput(body.op('Identity', [goOn]), 'bool', []);
  body.bodyOutput(body.op('Sub', [x, move]), 'float32', patch);
  body.bodyOutput(body.op('Identity', [x]), 'float32', patch);

  return graph.ops('Loop', [calls, undefined, inputs.noise], 2, { body }) as [Value, Value];
}

/** Adds all inputs, nodes and outputs of flow matching to the graph. */
export function buildFlow(context: StageContext, config: ModelConfig): void {
  const { graph } = context;
  const width = config.dit_config.hidden_dim;
  const patch = ['batch', config.patch_size, config.feat_dim] as const;
  const noise = graph.input('noise', 'float32', patch);
  const mu = graph.input('condition', 'float32', ['batch', conditionTokens(config), width]);
  const before = graph.input('before', 'float32', patch);
  const cfg = graph.input('cfg', 'float32', ['batch']);
  const embeddings = graph.input('embeddings', 'float32', ['calls', width]);
  const steps = graph.input('steps', 'float32', ['calls']);
  const zeroStar = graph.input('zero_star', 'bool', []);

  const guidance = { cfg: graph.op('Reshape', [cfg, graph.integers([-1, 1, 1])]), zeroStar };
  const inputs = { noise, mu, before, guidance, embeddings, steps };
  const [made, trajectory] = eulerLoop(context, config, inputs);
  graph.output('patch', made, 'float32', patch);
  graph.output('trajectory', trajectory, 'float32', ['calls', ...patch]);
}
