/** A model in the layout of `export/onnx`: language models, flow, schedule, audio VAE. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tensor } from 'onnxruntime-node';
import { SvcError } from '../../../errors.ts';
import type { MetadataValue, ModelInfo } from '../../backend.ts';
import { flowSchedule } from './flow-schedule.ts';
import { bucketFor, KvBlock, type KvRow, type KvShape } from './kv-block.ts';
import { type Manifest, readManifest } from './manifest.ts';
import type { Handle, OnnxModel, OnnxModelOptions, OpenInput, StepOutput } from './model.ts';
import { checkPrefix } from './prefix-check.ts';
import { type Graph, loadRuntime, openGraph } from './runtime.ts';
import { createVae, type Vae, type VaeState } from './streaming-vae.ts';

/** Positions of one pass of prefill: enough to read the weights rarely, few enough to bound memory and cancel soon. */
const chunkPositions = 128;
/** Sessions at once; the scheduler's batches are far below. */
const maxSessions = 256;
/** Schedules kept; a server's callers ask for a handful. */
const maxSchedules = 16;
/** Added to the score of a position that is not there. */
const hidden = -1e30;

interface Session {
  readonly cfg: number;
  readonly timesteps: number;
  kv: KvRow;
  /** Position that the next step computes; the positions before it are in the cache. */
  length: number;
  token: number;
  isAudio: boolean;
  /** The patch before the next one. */
  patch: Float32Array;
  vae: VaeState;
}

interface Schedule {
  readonly embeddings: Tensor;
  readonly steps: Tensor;
}

type TensorConstructor = typeof import('onnxruntime-node')['Tensor'];

/** Inputs of the language models for `length` positions of each member of a block. */
interface Positions {
  readonly block: KvBlock;
  readonly length: number;
  readonly tokens: Int32Array;
  readonly audio: Uint8Array;
  /** One for each audio position, in order. */
  readonly patches: Float32Array;
  /** Positions in the cache of each member. */
  readonly starts: readonly number[];
}

/** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY */
export async function openExportedModel(options: OnnxModelOptions): Promise<OnnxModel> {
  const { directory } = options;
  const manifest = await readManifest(directory);
  const { Tensor } = await loadRuntime();
  const tokenizer = await readFile(join(directory, manifest.tokenizer), 'utf8').catch((cause: unknown) => {
    throw new SvcError('MODEL_NOT_FOUND', `expected ${manifest.tokenizer} in ${directory}, received none`, { cause });
  });
  const graphs: Graph[] = [];
  const open = async (file: string): Promise<Graph> => {
    const graph = await openGraph(join(directory, file), options);
    graphs.push(graph);
    return graph;
  };
  const close = async (): Promise<void> => {
    for (const graph of graphs.splice(0)) await graph.close();
  };
  try {
    const parts = {
      languageModels: await open(manifest.languageModels.file),
      flow: await open(manifest.flow.file),
      schedule: await open(manifest.schedule.file),
      vae: createVae(manifest, await open(manifest.vaeEncoder.file), await open(manifest.vaeDecoder.file), Tensor),
    };
    return new ExportedModel(manifest, tokenizer, parts, Tensor, modelInfo(manifest, options), close);
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  readonly languageModels: Graph;
  readonly flow: Graph;
  readonly schedule: Graph;
  readonly vae: Vae;
}

class ExportedModel implements OnnxModel {
  readonly info: ModelInfo;
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  readonly #manifest: Manifest;
  readonly #parts: Parts;
  readonly #Tensor: TensorConstructor;
  readonly #close: () => Promise<void>;
  readonly #kvShape: KvShape;
  readonly #patchValues: number;
  readonly #sessions = new Map<Handle, Session>();
  readonly #schedules = new Map<number, Schedule>();
  #handles = 0;

  constructor(
    manifest: Manifest,
    tokenizer: string,
    parts: Parts,
    tensor: TensorConstructor,
    info: ModelInfo,
    close: () => Promise<void>,
  ) {
    this.info = info;
    this.metadata = { 'general.name': manifest.name, 'tokenizer.huggingface.json': tokenizer };
    this.#manifest = manifest;
    this.#parts = parts;
    this.#Tensor = tensor;
    this.#close = close;
    this.#kvShape = manifest.languageModels;
    this.#patchValues = manifest.patchSize * manifest.featureDim;
  }

  encode(samples: Float32Array): Promise<Float32Array> {
    return this.#parts.vae.encode(samples);
  }

  async open(input: OpenInput): Promise<Handle> {
    const { vocabularySize, maxLength } = this.#manifest;
    checkPrefix(input, { vocabularySize, maxLength, patchValues: this.#patchValues });
    if (this.#sessions.size >= maxSessions) {
      throw new SvcError('OUT_OF_MEMORY', `expected at most ${maxSessions} sessions at once, received one more`);
    }
    const { tokens, audioMask, features, cfg, timesteps, cancel } = input;
    const last = tokens.length - 1;
    const block = new KvBlock(this.#kvShape, 1, bucketFor(last + 1));
    let patch = 0;
    for (let begin = 0; begin < last; begin += chunkPositions) {
      if (Atomics.load(cancel, 0) !== 0) throw new SvcError('CANCELLED', 'cancelled');
      const end = Math.min(last, begin + chunkPositions);
      const audio = audioMask.subarray(begin, end);
      const patches = audio.reduce((sum, value) => sum + value, 0);
      await this.#prefill({
        block,
        length: end - begin,
        tokens: tokens.subarray(begin, end),
        audio,
        patches: features.subarray(patch * this.#patchValues, (patch + patches) * this.#patchValues),
        starts: [begin],
      });
      patch += patches;
    }
    const isAudio = audioMask[last] === 1;
    this.#handles += 1;
    this.#sessions.set(this.#handles, {
      cfg,
      timesteps,
      kv: { block, row: 0, length: last },
      length: last,
      token: tokens[last] as number,
      isAudio,
      patch: isAudio ? features.slice(-this.#patchValues) : new Float32Array(this.#patchValues),
      vae: this.#parts.vae.begin(),
    });
    return this.#handles;
  }

  async #prefill(positions: Positions): Promise<void> {
    const { new_keys: keys, new_values: values } = await this.#runLanguageModels(positions, ['new_keys', 'new_values']);
    positions.block.write(floats(keys), floats(values), positions.starts, positions.length);
  }

  async step(handles: readonly Handle[], noise: readonly Float32Array[]): Promise<StepOutput[]> {
    const sessions = handles.map((handle) => this.#sessionOf(handle));
    const [first] = sessions;
    if (first === undefined) return [];
    if (new Set(sessions).size !== sessions.length) invalid('each session once in a batch', 'one twice');
    for (const { timesteps, length } of sessions) {
      if (timesteps !== first.timesteps) invalid('the same timesteps for all sessions of a batch', timesteps);
      if (length >= this.#manifest.maxLength) {
        invalid(`at most ${this.#manifest.maxLength} positions for an utterance`, 'one more');
      }
    }
    const block = this.#gather(sessions);
    const outputs = await this.#runLanguageModels({
      block,
      length: 1,
      tokens: Int32Array.from(sessions, ({ token }) => token),
      audio: Uint8Array.from(sessions, ({ isAudio }) => (isAudio ? 1 : 0)),
      patches: concatenate(sessions.filter(({ isAudio }) => isAudio).map(({ patch }) => patch)),
      starts: sessions.map(({ length }) => length),
    });
    const patches = await this.#runFlow(sessions, noise, outputs.condition as Tensor);
    block.write(
      floats(outputs.new_keys),
      floats(outputs.new_values),
      sessions.map(({ length }) => length),
      1,
    );
    const row = (name: string, index: number): Float32Array => rowOf(floats(outputs[name]), index, sessions.length);
    return sessions.map((session, index) => {
      const patch = rowOf(patches, index, sessions.length);
      session.patch = patch;
      session.isAudio = true;
      session.token = 0;
      session.length += 1;
      session.kv = { ...session.kv, length: session.length };
      const stopLogits = row('stop_logits', index);
      const stop = (stopLogits[1] as number) > (stopLogits[0] as number);
      const trace = { stopLogits, lmHidden: row('lm_hidden', index), residualHidden: row('residual_hidden', index) };
      return { patch, stop, trace };
    });
  }

  /** The block of exactly these sessions with room for one more position of each. */
  #gather(sessions: readonly Session[]): KvBlock {
    const capacity = bucketFor(Math.max(...sessions.map(({ length }) => length)) + 1);
    const [first] = sessions as [Session, ...Session[]];
    const { block } = first.kv;
    const isSame = sessions.every(({ kv }, row) => kv.block === block && kv.row === row);
    if (isSame && block.batch === sessions.length && block.capacity >= capacity) return block;
    const rows = sessions.map(({ kv }) => kv);
    const gathered = KvBlock.gather(this.#kvShape, rows, capacity);
    for (const [row, session] of sessions.entries()) session.kv = { block: gathered, row, length: session.length };
    return gathered;
  }

  #runLanguageModels(positions: Positions, names?: readonly string[]): Promise<Record<string, Tensor>> {
    const { block, length, tokens, audio, starts } = positions;
    const { batch, capacity } = block;
    const { kvHeads, headDim } = this.#kvShape;
    const { patchSize, featureDim } = this.#manifest;
    const Tensor = this.#Tensor;
    const int64 = (values: readonly number[]): Tensor =>
      new Tensor('int64', BigInt64Array.from(values, BigInt), [batch, length]);
    // The graph looks its rows up behind the tokens' embeddings; there is always one, so that none is empty.
    const patches = positions.patches.length > 0 ? positions.patches : new Float32Array(this.#patchValues);
    let patch = batch * length;
    const rows = Array.from(tokens, (_, index) => (audio[index] === 1 ? patch++ : index));
    const total = capacity + length;
    const bias = new Float32Array(batch * length * total);
    for (const [member, start] of starts.entries()) {
      for (let position = 0; position < length; position += 1) {
        const at = (member * length + position) * total;
        bias.fill(hidden, at + start, at + capacity);
        bias.fill(hidden, at + capacity + position + 1, at + total);
      }
    }
    const feeds: Record<string, Tensor> = {
      tokens: int64([...tokens]),
      audio: new Tensor('bool', audio.slice(), [batch, length]),
      patches: new Tensor('float32', patches, [patches.length / this.#patchValues, patchSize, featureDim]),
      rows: int64(rows),
      positions: int64(starts.flatMap((start) => Array.from({ length }, (_, index) => start + index))),
      bias: new Tensor('float32', bias, [batch, 1, length, total]),
    };
    for (const [index, { keys, values }] of block.layers.entries()) {
      feeds[`past_keys.${index}`] = new Tensor('float32', keys, [batch, kvHeads, headDim, capacity]);
      feeds[`past_values.${index}`] = new Tensor('float32', values, [batch, kvHeads, capacity, headDim]);
    }
    return this.#parts.languageModels.run(feeds, names);
  }

  async #runFlow(
    sessions: readonly Session[],
    noise: readonly Float32Array[],
    condition: Tensor,
  ): Promise<Float32Array> {
    const Tensor = this.#Tensor;
    const { patchSize, featureDim } = this.#manifest;
    const shape = [sessions.length, patchSize, featureDim];
    const draws = concatenate(noise);
    if (draws.length !== sessions.length * this.#patchValues) {
      invalid(`${this.#patchValues} values of noise for each session`, draws.length / sessions.length);
    }
    const { embeddings, steps } = await this.#schedule((sessions[0] as Session).timesteps);
    const outputs = await this.#parts.flow.run(
      {
        noise: new Tensor('float32', draws, shape),
        condition,
        before: new Tensor('float32', concatenate(sessions.map(({ patch }) => patch)), shape),
        cfg: new Tensor(
          'float32',
          Float32Array.from(sessions, ({ cfg }) => cfg),
          [sessions.length],
        ),
        embeddings,
        steps,
        zero_star: new Tensor('bool', Uint8Array.of(1), []),
      },
      ['patch'],
    );
    return floats(outputs.patch);
  }

  async #schedule(timesteps: number): Promise<Schedule> {
    const known = this.#schedules.get(timesteps);
    if (known) return known;
    const Tensor = this.#Tensor;
    const { isMeanMode } = this.#manifest.flow;
    const { times, deltas, steps } = flowSchedule({ timesteps, isMeanMode });
    const calls = [times.length];
    const outputs = await this.#parts.schedule.run({
      times: new Tensor('float32', times, calls),
      deltas: new Tensor('float32', deltas, calls),
    });
    const schedule = { embeddings: outputs.embeddings as Tensor, steps: new Tensor('float32', steps, calls) };
    const [oldest] = this.#schedules.keys();
    if (this.#schedules.size >= maxSchedules && oldest !== undefined) this.#schedules.delete(oldest);
    this.#schedules.set(timesteps, schedule);
    return schedule;
  }

  async decode(handles: readonly Handle[], patches: readonly Float32Array[]): Promise<Float32Array[]> {
    const sessions = handles.map((handle) => this.#sessionOf(handle));
    const results: Float32Array[] = [];
    for (const [index, session] of sessions.entries()) {
      const latents = patches[index] as Float32Array;
      if (latents.length === 0 || latents.length % this.#patchValues !== 0) {
        invalid(`a multiple of ${this.#patchValues} values to decode`, latents.length);
      }
      const { samples, state } = await this.#parts.vae.decode(latents, session.vae);
      session.vae = state;
      results.push(samples);
    }
    return results;
  }

  async close(handle: Handle): Promise<void> {
    this.#sessionOf(handle);
    this.#sessions.delete(handle);
  }

  async dispose(): Promise<void> {
    this.#sessions.clear();
    this.#schedules.clear();
    await this.#close();
  }

  #sessionOf(handle: Handle): Session {
    return this.#sessions.get(handle) ?? invalid('an open session', 'one that is closed');
  }
}

function invalid(expected: string, received: string | number): never {
  throw new SvcError('INVALID_REQUEST', `expected ${expected}, received ${received}`);
}

const floats = (tensor: Tensor | undefined): Float32Array => tensor?.data as Float32Array;

/** A copy: what leaves the worker takes its whole buffer along. */
const rowOf = (values: Float32Array, row: number, rows: number): Float32Array => {
  const length = values.length / rows;
  return values.slice(row * length, (row + 1) * length);
};

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

function modelInfo(manifest: Manifest, { device }: OnnxModelOptions): ModelInfo {
  const { maxTextCharacters, fixedVoice } = manifest.limits;
  return {
    name: manifest.name,
    architecture: manifest.architecture,
    patchSize: manifest.patchSize,
    featureDim: manifest.featureDim,
    patchSamples: manifest.patchSize * manifest.decodeHop,
    inputPatchSamples: manifest.patchSize * manifest.encodeHop,
    inputSampleRate: manifest.inputSampleRate,
    outputSampleRate: manifest.outputSampleRate,
    maxLength: manifest.maxLength,
    weightType: manifest.types.lm,
    device: `ONNX ${device}`,
    limits: {
      ...(maxTextCharacters === undefined ? {} : { maxTextCharacters }),
      ...(fixedVoice === undefined ? {} : { fixedVoice }),
    },
  };
}
