/** A model in the layout of `export/onnx`: language models, flow, schedule, audio VAE. */
import type { Tensor } from 'onnxruntime-common';
import { concatenate } from '../../../../concatenate.ts';
import { SvcError } from '../../../../errors.ts';
import type { MetadataValue, ModelInfo } from '../../../backend.ts';
import type { Graph, OnnxPlatform } from '../graph.ts';
import { rowOf } from '../graph.ts';
import { finiteFloatsOf, floatsOf } from '../graph-interface.ts';
import { type Manifest, readManifest } from '../manifest.ts';
import type { Handle, OnnxModel, OpenInput, Slices, StepOutput } from '../model.ts';
import { checkPrefix, invalid } from '../prefix-check.ts';
import { createFlow, type Flow } from './flow.ts';
import { bucketFor, KvBlock, type KvRow, type KvShape } from './kv-block.ts';
import { createLanguageModels, type LanguageModels, type Positions } from './language-models.ts';
import { modelInfo } from './model-info.ts';
import { createVae, type Vae, type VaeState } from './streaming-vae.ts';

/** Positions of one pass of prefill: enough to read the weights rarely, few enough to bound memory and cancel soon. */
const chunkPositions = 128;
/** Sessions at once; the scheduler's batches are far below. */
const maxSessions = 256;

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

/** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY */
export async function openExportedModel(platform: OnnxPlatform): Promise<OnnxModel> {
  const { Tensor } = platform;
  const manifest = await readManifest(platform);
  await platform.checkFiles?.(manifest.files);
  const tokenizer = await platform.readText(manifest.tokenizer);
  const graphs: Graph[] = [];
  const open = async (file: string): Promise<Graph> => {
    const graph = await platform.openGraph(file);
    graphs.push(graph);
    return graph;
  };
  const close = async (): Promise<void> => {
    for (const graph of graphs.splice(0)) await graph.close();
  };
  try {
    const parts = {
      languageModels: createLanguageModels(manifest, await open(manifest.languageModels.file), Tensor),
      flow: createFlow(manifest, await open(manifest.flow.file), await open(manifest.schedule.file), Tensor),
      vae: createVae(manifest, await open(manifest.vaeEncoder.file), await open(manifest.vaeDecoder.file), Tensor),
    };
    return new ExportedModel(manifest, tokenizer, parts, modelInfo(manifest, platform.device), close);
  } catch (error) {
    await close();
    throw error;
  }
}

type Outputs = Readonly<Record<string, Tensor>>;

interface Parts {
  readonly languageModels: LanguageModels;
  readonly flow: Flow;
  readonly vae: Vae;
}

class ExportedModel implements OnnxModel {
  readonly info: ModelInfo;
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  readonly #manifest: Manifest;
  readonly #parts: Parts;
  readonly #close: () => Promise<void>;
  readonly #kvShape: KvShape;
  readonly #patchValues: number;
  readonly #sessions = new Map<Handle, Session>();
  #handles = 0;

  constructor(manifest: Manifest, tokenizer: string, parts: Parts, info: ModelInfo, close: () => Promise<void>) {
    this.info = info;
    this.metadata = { 'general.name': manifest.name, 'tokenizer.huggingface.json': tokenizer };
    this.#manifest = manifest;
    this.#parts = parts;
    this.#close = close;
    this.#kvShape = manifest.languageModels;
    this.#patchValues = manifest.patchSize * manifest.featureDim;
  }

  encode(samples: Float32Array): Slices<Float32Array> {
    return this.#parts.vae.encode(samples);
  }

  async *open(input: OpenInput): Slices<Handle> {
    const { vocabularySize, maxLength } = this.#manifest;
    checkPrefix(input, { vocabularySize, maxLength, patchValues: this.#patchValues });
    if (this.#sessions.size >= maxSessions) {
      throw new SvcError('OUT_OF_MEMORY', `expected at most ${maxSessions} sessions at once, received one more`);
    }
    const { tokens, audioMask, features, cfg, timesteps } = input;
    const last = tokens.length - 1;
    const block = new KvBlock(this.#kvShape, 1, bucketFor(last + 1));
    let patch = 0;
    for (let begin = 0; begin < last; begin += chunkPositions) {
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
      yield;
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
    const outputs = await this.#parts.languageModels(positions, ['new_keys', 'new_values']);
    this.#write(positions, outputs);
  }

  /** Adds what a pass computed to the caches. */
  #write({ block, starts, length }: Pick<Positions, 'block' | 'starts' | 'length'>, outputs: Outputs): void {
    const { layers, kvHeads, headDim } = this.#kvShape;
    const values = starts.length * layers * kvHeads * headDim * length;
    block.write(floatsOf(outputs, 'new_keys', values), floatsOf(outputs, 'new_values', values), starts, length);
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
    const outputs = await this.#parts.languageModels({
      block,
      length: 1,
      tokens: Int32Array.from(sessions, ({ token }) => token),
      audio: Uint8Array.from(sessions, ({ isAudio }) => (isAudio ? 1 : 0)),
      patches: concatenate(sessions.filter(({ isAudio }) => isAudio).map(({ patch }) => patch)),
      starts: sessions.map(({ length }) => length),
    });
    const patches = await this.#parts.flow(first.timesteps, sessions, noise, outputs.condition as Tensor);
    this.#write({ block, starts: sessions.map(({ length }) => length), length: 1 }, outputs);
    const logits = finiteFloatsOf(outputs, 'stop_logits', 2 * sessions.length);
    const hidden = (name: 'lm_hidden' | 'residual_hidden', index: number): Float32Array =>
      rowOf(finiteFloatsOf(outputs, name, outputs[name]?.size ?? 0), index, sessions.length);
    return sessions.map((session, index) => {
      const patch = rowOf(patches, index, sessions.length);
      session.patch = patch;
      session.isAudio = true;
      session.token = 0;
      session.length += 1;
      session.kv = { ...session.kv, length: session.length };
      const stopLogits = rowOf(logits, index, sessions.length);
      const stop = (stopLogits[1] as number) > (stopLogits[0] as number);
      const trace = {
        stopLogits,
        lmHidden: hidden('lm_hidden', index),
        residualHidden: hidden('residual_hidden', index),
      };
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
    await this.#close();
  }

  #sessionOf(handle: Handle): Session {
    return this.#sessions.get(handle) ?? invalid('an open session', 'one that is closed');
  }
}
