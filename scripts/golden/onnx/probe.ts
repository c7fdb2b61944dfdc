import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelProto } from '../../../export/onnx/schema.ts';
import type { NativeTensor } from '../../../src/engine/backends/addon.ts';
import { flowSchedule } from '../../../src/engine/backends/onnx/flow-schedule.ts';
import { bucketFor, KvBlock } from '../../../src/engine/backends/onnx/kv-block.ts';
import { type Manifest, readManifest } from '../../../src/engine/backends/onnx/manifest.ts';
import { folderOf } from '../../../src/engine/backends/onnx/node-platform.ts';
import { concatenate, transposed } from '../layout.ts';
import type { Probe } from '../stages.ts';
import { extract, parseModel } from './extract.ts';

type Tensors = Readonly<Record<string, NativeTensor>>;
type Feeds = Readonly<Record<string, Tensor>>;

const hidden = -1e30;

const float = (data: ArrayLike<number>, ...shape: number[]): Tensor =>
  new Tensor('float32', Float32Array.from(data), shape);
const int64 = (data: ArrayLike<number>, ...shape: number[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(Array.from(data, BigInt)), shape);

const native = ({ data, dims }: Tensor): NativeTensor => ({ data: data as Float32Array, shape: dims });

/** Without leading dimensions of size 1. */
function squeezed(tensor: Tensor): NativeTensor {
  const { data, shape } = native(tensor);
  const first = shape.findIndex((length) => length !== 1);
  return { data, shape: first === -1 ? [1] : shape.slice(first) };
}

function need(inputs: Tensors, name: string): NativeTensor {
  const found = inputs[name];
  if (!found) throw new Error(`expected the input ${name} for the stage, received ${Object.keys(inputs).join(', ')}`);
  return found;
}

/** `[1, channels, frames]` as `[frames, channels]`. */
const framesFirst = ({ data, dims }: Tensor): NativeTensor =>
  transposed({ data: data as Float32Array, shape: [...dims.slice(1)] });

/** Stages of an exported ONNX model, cut out of its files: the nodes and weights are those that the engine runs. */
export class OnnxProbe implements Probe {
  readonly #directory: string;
  readonly #manifest: Manifest;
  readonly #models = new Map<string, ModelProto>();
  readonly #sessions = new Map<string, InferenceSession>();

  private constructor(directory: string, manifest: Manifest) {
    this.#directory = directory;
    this.#manifest = manifest;
  }

  static async open(directory: string): Promise<OnnxProbe> {
    return new OnnxProbe(directory, await readManifest(folderOf(directory)));
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await session.release();
    this.#sessions.clear();
  }

  async probe(
    stage: string,
    inputs: Tensors,
    parameters: Readonly<Record<string, number>>,
  ): Promise<Record<string, NativeTensor>> {
    switch (stage) {
      case 'baseLm':
        return this.#languageModel('base_lm', 'embeddings', 0, inputs);
      case 'residualLm':
        return this.#languageModel('residual_lm', 'residual_lm.input', this.#baseLayers, inputs);
      case 'embed':
        return this.#embed(need(inputs, 'ids'));
      case 'localEncoder':
        return this.#localEncoder(need(inputs, 'patches'));
      case 'fsq':
        return this.#hiddenStage(need(inputs, 'in'), 'base_lm.output', {
          tanh: 'fsq.tanh',
          q: 'fsq.quantized',
          out: 'fsq.output',
        });
      case 'stop':
        return this.#hiddenStage(need(inputs, 'in'), 'lm_hidden', { logits: 'stop_logits' });
      case 'fusion':
        return this.#hiddenStage(need(inputs, 'in'), 'fusion.input', { out: 'residual_lm.input' });
      case 'prefill':
        return this.#prefill(inputs);
      case 'localDit':
        return this.#localDit(inputs);
      case 'flow':
        return this.#flow(inputs, parameters);
      case 'vaeEncoder':
        return this.#vaeEncoder(need(inputs, 'samples'));
      case 'vaeDecoder':
        return this.#vaeDecoder(need(inputs, 'latents'), parameters.sampleRate);
      default:
        throw new Error(`expected a stage of the model, received ${stage}`);
    }
  }

  /** Runs the part of a file between the feeds and the outputs. */
  async #run(file: string, feeds: Feeds, outputs: readonly string[]): Promise<Record<string, Tensor>> {
    const key = JSON.stringify([file, Object.keys(feeds).sort(), outputs]);
    const session = this.#sessions.get(key) ?? (await this.#open(file, Object.keys(feeds), outputs));
    this.#sessions.set(key, session);
    return await session.run(Object.fromEntries(session.inputNames.map((name) => [name, feeds[name] as Tensor])));
  }

  async #model(file: string): Promise<ModelProto> {
    const model = this.#models.get(file) ?? parseModel(await readFile(join(this.#directory, file)));
    this.#models.set(file, model);
    return model;
  }

  async #open(file: string, inputs: readonly string[], outputs: readonly string[]): Promise<InferenceSession> {
    // Beside the weights: a graph finds them by its own place.
    const path = join(this.#directory, `probe-${randomBytes(6).toString('hex')}.onnx`);
    await writeFile(path, extract(await this.#model(file), inputs, outputs));
    try {
      return await InferenceSession.create(path, { intraOpNumThreads: 1, logSeverityLevel: 3 });
    } finally {
      await rm(path, { force: true });
    }
  }

  get #baseLayers(): number {
    const names =
      this.#models.get(this.#manifest.languageModels.file)?.graph?.node.flatMap(({ output }) => output) ?? [];
    return names.filter((name) => /^base_lm\.layers\.\d+\.keys$/.test(name)).length;
  }

  #past(block: KvBlock, first: number, layers: number): Feeds {
    const { kvHeads, headDim } = block.shape;
    const feeds: Record<string, Tensor> = {};
    for (let index = 0; index < layers; index += 1) {
      const { keys, values } = block.layers[index] as { keys: Float32Array; values: Float32Array };
      feeds[`past_keys.${first + index}`] = new Tensor('float32', keys, [1, kvHeads, headDim, block.capacity]);
      feeds[`past_values.${first + index}`] = new Tensor('float32', values, [1, kvHeads, block.capacity, headDim]);
    }
    return feeds;
  }

  /** Positions from `start` on and what they may look at. */
  #positions(start: number, length: number, capacity: number): Feeds {
    const bias = Array.from({ length: length * (capacity + length) }, (_, index) => {
      const [row, column] = [Math.floor(index / (capacity + length)), index % (capacity + length)];
      return column < start || (column >= capacity && column - capacity <= row) ? 0 : hidden;
    });
    const positions = Array.from({ length }, (_, index) => start + index);
    return { positions: int64(positions, 1, length), bias: float(bias, 1, 1, length, capacity + length) };
  }

  async #languageModel(
    name: string,
    input: string,
    first: number,
    inputs: Tensors,
  ): Promise<Record<string, NativeTensor>> {
    const { file, kvHeads, headDim, layers: all } = this.#manifest.languageModels;
    await this.#model(file);
    const layers = name === 'base_lm' ? this.#baseLayers : all - this.#baseLayers;
    const prefill = need(inputs, 'prefill');
    const [length = 0, width = 0] = prefill.shape;
    const stepCount = inputs.steps?.shape[0] ?? 0;
    const block = new KvBlock({ layers, kvHeads, headDim }, 1, bucketFor(length + stepCount));
    const names = Array.from({ length: layers }, (_, index) => `${name}.layers.${index}`);
    const caches = [...names.map((layer) => `${layer}.keys`), ...names.map((layer) => `${layer}.values`)];
    const wanted = [`${name}.output`, ...names.map((layer) => `${layer}.output`), ...caches];
    const run = async (data: Float32Array, start: number, count: number): Promise<Record<string, Tensor>> => {
      const offset = name === 'base_lm' ? 0 : this.#baseLayers;
      const feeds = {
        [input]: float(data, 1, count, width),
        ...this.#positions(start, count, block.capacity),
        ...this.#past(block, first === 0 ? 0 : offset, layers),
      };
      const outputs = await this.#run(file, feeds, wanted);
      const join = (kind: string): Float32Array =>
        concatenate(names.map((layer) => outputs[`${layer}.${kind}`]?.data as Float32Array));
      block.write(join('keys'), join('values'), [start], count);
      return outputs;
    };
    const outputs = await run(prefill.data as Float32Array, 0, length);
    const result: Record<string, NativeTensor> = { out: squeezed(outputs[`${name}.output`] as Tensor) };
    for (const [index, layer] of names.entries()) {
      result[`layer${index}.out`] = squeezed(outputs[`${layer}.output`] as Tensor);
      const keys = outputs[`${layer}.keys`] as Tensor;
      result[`k${index}`] = transposed({ data: keys.data as Float32Array, shape: [...keys.dims] });
      result[`v${index}`] = native(outputs[`${layer}.values`] as Tensor);
    }
    const steps: Float32Array[] = [];
    for (let step = 0; step < stepCount; step += 1) {
      const rows = need(inputs, 'steps').data as Float32Array;
      const row = rows.slice(step * width, (step + 1) * width);
      const stepped = await run(row, length + step, 1);
      steps.push(stepped[`${name}.output`]?.data as Float32Array);
    }
    if (stepCount > 0) result.step_out = { data: concatenate(steps), shape: [stepCount, width] };
    return result;
  }

  async #embed({ data }: NativeTensor): Promise<Record<string, NativeTensor>> {
    const feeds = { tokens: int64(data, 1, data.length) };
    const { token_embeddings: out } = await this.#run(this.#manifest.languageModels.file, feeds, ['token_embeddings']);
    return { out: squeezed(out as Tensor) };
  }

  async #localEncoder({ data, shape }: NativeTensor): Promise<Record<string, NativeTensor>> {
    const wanted = ['local_encoder.output', 'local_encoder.projected'];
    const outputs = await this.#run(this.#manifest.languageModels.file, { patches: float(data, ...shape) }, wanted);
    return {
      out: native(outputs['local_encoder.output'] as Tensor),
      proj_out: native(outputs['local_encoder.projected'] as Tensor),
    };
  }

  async #hiddenStage(
    { data, shape }: NativeTensor,
    input: string,
    outputs: Readonly<Record<string, string>>,
  ): Promise<Record<string, NativeTensor>> {
    const made = await this.#run(
      this.#manifest.languageModels.file,
      { [input]: float(data, ...shape) },
      Object.values(outputs),
    );
    return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, native(made[value] as Tensor)]));
  }

  async #prefill(inputs: Tensors): Promise<Record<string, NativeTensor>> {
    const { file, kvHeads, headDim } = this.#manifest.languageModels;
    const { patchSize, featureDim } = this.#manifest;
    await this.#model(file);
    const { data: tokens } = need(inputs, 'tokens');
    const { data: audio } = need(inputs, 'audioMask');
    const { data: features } = need(inputs, 'features');
    const length = tokens.length;
    const layers = this.#baseLayers;
    const block = new KvBlock({ layers, kvHeads, headDim }, 1, bucketFor(length));
    let next = length;
    const patches = features.length > 0 ? features : new Float32Array(patchSize * featureDim);
    const feeds = {
      tokens: int64(tokens, 1, length),
      patches: float(patches, patches.length / (patchSize * featureDim), patchSize, featureDim),
      rows: int64(
        Array.from(audio, (flag, index) => (flag === 1 ? next++ : index)),
        1,
        length,
      ),
      ...this.#positions(0, length, block.capacity),
      ...this.#past(block, 0, layers),
    };
    const outputs = await this.#run(file, feeds, ['embeddings', 'base_lm.output']);
    return {
      embeds: squeezed(outputs.embeddings as Tensor),
      base_out: squeezed(outputs['base_lm.output'] as Tensor),
    };
  }

  async #localDit(inputs: Tensors): Promise<Record<string, NativeTensor>> {
    const { flow, schedule } = this.#manifest;
    const [x, mu, t, cond, dt] = ['x', 'mu', 't', 'cond', 'dt'].map((name) => need(inputs, name)) as [
      NativeTensor,
      NativeTensor,
      NativeTensor,
      NativeTensor,
      NativeTensor,
    ];
    const count = t.data.length;
    const times = { times: float(t.data, count), deltas: float(dt.data, count) };
    const timed = await this.#run(schedule.file, times, [
      'time.sinusoids',
      'time.output',
      'delta_time.output',
      'embeddings',
    ]);
    const { dims } = timed.embeddings as Tensor;
    const width = dims[1] as number;
    const projected = await this.#run(flow.file, { before: float(cond.data, ...cond.shape) }, ['dit.projected']);
    const feeds = {
      'dit.x': float(x.data, ...x.shape),
      'dit.mu': float(mu.data, count, mu.data.length / (count * width), width),
      'dit.time': float(timed.embeddings?.data as Float32Array, count, 1, width),
      'dit.before': projected['dit.projected'] as Tensor,
    };
    const { 'dit.velocity': out } = await this.#run(flow.file, feeds, ['dit.velocity']);
    return {
      out: native(out as Tensor),
      t_emb: native(timed['time.sinusoids'] as Tensor),
      t_mlp: native(timed['time.output'] as Tensor),
      dt_mlp: native(timed['delta_time.output'] as Tensor),
    };
  }

  async #flow(inputs: Tensors, parameters: Readonly<Record<string, number>>): Promise<Record<string, NativeTensor>> {
    const { flow, schedule } = this.#manifest;
    const { timesteps = 10, cfg = 2, sway = 1, zeroStar = 1 } = parameters;
    const { times, deltas, steps } = flowSchedule({
      timesteps,
      sway,
      isMeanMode: flow.isMeanMode,
      zeroStar: zeroStar === 1 ? 'on' : 'off',
    });
    const calls = times.length;
    const { embeddings } = await this.#run(
      schedule.file,
      { times: float(times, calls), deltas: float(deltas, calls) },
      ['embeddings'],
    );
    const width = embeddings?.dims[1] as number;
    const [z, mu, cond] = ['z', 'mu', 'cond'].map((name) => need(inputs, name)) as [
      NativeTensor,
      NativeTensor,
      NativeTensor,
    ];
    const feeds = {
      noise: float(z.data, 1, ...z.shape),
      condition: float(mu.data, 1, mu.data.length / width, width),
      before: float(cond.data, 1, ...cond.shape),
      cfg: float([cfg], 1),
      embeddings: embeddings as Tensor,
      steps: float(steps, calls),
      zero_star: new Tensor('bool', Uint8Array.of(zeroStar), []),
    };
    const { patch, trajectory } = await this.#run(flow.file, feeds, ['patch', 'trajectory']);
    return {
      out: squeezed(patch as Tensor),
      'traj.x': native(trajectory as Tensor),
      'traj.t': { data: times, shape: [calls] },
      'traj.dt': { data: deltas, shape: [calls] },
    };
  }

  async #vaeEncoder({ data }: NativeTensor): Promise<Record<string, NativeTensor>> {
    const { vaeEncoder, encodeHop } = this.#manifest;
    const length = Math.ceil(data.length / encodeHop) * encodeHop;
    const samples = new Float32Array(length);
    samples.set(data as Float32Array);
    const labels = await this.#labels(vaeEncoder.file, /^block\.\d+\.output$/);
    const feeds = { samples: float(samples, 1, length), ...emptyStates(vaeEncoder.states) };
    const outputs = await this.#run(vaeEncoder.file, feeds, ['latents', ...labels]);
    const blocks = labels.map((label) => [`block${label.split('.')[1]}`, framesFirst(outputs[label] as Tensor)]);
    return { mu: withoutBatch(outputs.latents as Tensor), ...Object.fromEntries(blocks) };
  }

  async #vaeDecoder(
    { data, shape }: NativeTensor,
    sampleRate: number | undefined,
  ): Promise<Record<string, NativeTensor>> {
    const { vaeDecoder, outputSampleRate } = this.#manifest;
    const labels = await this.#labels(vaeDecoder.file, /^module\.\d+\.output$/);
    const rate = vaeDecoder.isConditioned ? { sample_rate: int64([sampleRate ?? outputSampleRate]) } : {};
    const feeds = { latents: float(data, 1, ...shape), ...rate, ...emptyStates(vaeDecoder.states) };
    const outputs = await this.#run(vaeDecoder.file, feeds, ['samples', ...labels]);
    const modules = labels.map((label) => [`mod${label.split('.')[1]}`, framesFirst(outputs[label] as Tensor)]);
    return { wav: squeezed(outputs.samples as Tensor), ...Object.fromEntries(modules) };
  }

  async #labels(file: string, pattern: RegExp): Promise<string[]> {
    const { graph } = await this.#model(file);
    return graph?.node.flatMap(({ output }) => output).filter((name) => pattern.test(name)) ?? [];
  }
}

/** Without the batch, which is 1. */
const withoutBatch = ({ data, dims }: Tensor): NativeTensor => ({ data: data as Float32Array, shape: dims.slice(1) });

const emptyStates = (states: Manifest['vaeEncoder']['states']): Feeds =>
  Object.fromEntries(
    states.map(({ channels, frames }, index) => [
      `state.${index}`,
      float(new Float32Array(channels * frames), 1, channels, frames),
    ]),
  );
