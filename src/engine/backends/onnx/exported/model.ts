/** An ONNX model exported by `export/onnx`: language models, flow, schedule, audio VAE. */
import type { Tensor } from 'onnxruntime-common';
import { SvcError } from '../../../../errors.ts';
import { concatenate } from '../../../../float-arrays.ts';
import type { MetadataValue, ModelInfo, Prefix, Step } from '../../../backend.ts';
import type { Handle, PortSettings } from '../../model-port.ts';
import { type Graph, type OnnxPlatform, rowOf } from '../graph.ts';
import { finiteFloatsOf, floatsOf } from '../graph-interface.ts';
import { Handles } from '../handles.ts';
import { type Manifest, readManifest } from '../manifest.ts';
import type { OnnxModel } from '../model.ts';
import { checkSettings, refuse } from '../prefix-check.ts';
import { createFlow, type Flow } from './flow.ts';
import { bucketFor, KvBlock, type KvRow, type KvShape } from './kv-block.ts';
import { createLanguageModels, type LanguageModels, type Positions } from './language-models.ts';
import { createVae, type Vae, type VaeState } from './streaming-vae.ts';

/** Latent frames encoded at once; bounds memory for long recordings. */
const encodeFrames = 32;
/** Positions per pass of prefill: enough to read the weights rarely, few enough to bound memory and cancel quickly. */
const chunkPositions = 128;
/** Maximum number of open sessions, far above the scheduler's batches. */
const maxSessions = 256;

interface ExportedSession {
  readonly cfg: number;
  readonly timesteps: number;
  /** The rest of the prefix for `prefill`; undefined when the session is ready to step. */
  rest: Prefix | undefined;
  /** The computed positions; the next step computes the following one. */
  kv: KvRow;
  token: number;
  isAudio: boolean;
  /** The previous patch. */
  patch: Float32Array;
  vae: VaeState;
}

/** A recording being encoded. */
interface Encoding {
  samples: Float32Array;
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
  readonly metadata: ReadonlyMap<string, MetadataValue>;
  readonly #manifest: Manifest;
  readonly #parts: Parts;
  readonly #close: () => Promise<void>;
  readonly #kvShape: KvShape;
  readonly #patchValues: number;
  readonly #encodings = new Handles<Encoding>('recording');
  readonly #sessions = new Handles<ExportedSession>('session');

  constructor(manifest: Manifest, tokenizer: string, parts: Parts, info: ModelInfo, close: () => Promise<void>) {
    this.info = info;
    this.metadata = new Map([
      ['general.name', manifest.name],
      ['tokenizer.huggingface.json', tokenizer],
    ]);
    this.#manifest = manifest;
    this.#parts = parts;
    this.#close = close;
    this.#kvShape = manifest.languageModels;
    this.#patchValues = manifest.patchSize * manifest.featureDim;
  }

  async openEncoding(samples: Float32Array): Promise<Handle> {
    return this.#encodings.add({ samples, vae: this.#parts.vae.beginEncoding() });
  }

  async encode(handle: Handle): Promise<Float32Array> {
    const encoding = this.#encodings.get(handle);
    if (encoding.samples.length === 0) return new Float32Array(0);
    const length = encodeFrames * this.#manifest.encodeHop;
    const { latents, state } = await this.#parts.vae.encode(encoding.samples.subarray(0, length), encoding.vae);
    encoding.samples = encoding.samples.subarray(length);
    encoding.vae = state;
    return latents;
  }

  async closeEncoding(handle: Handle): Promise<void> {
    this.#encodings.remove(handle);
  }

  async open({ tokens, audioMask, features, cfg, timesteps }: PortSettings): Promise<Handle> {
    const { vocabularySize, maxLength: contextLength } = this.#manifest;
    const limits = { vocabularySize, contextLength, patchValues: this.#patchValues };
    checkSettings({ tokens, audioMask, features, cfg, timesteps }, limits);
    if (this.#sessions.size >= maxSessions) {
      throw new SvcError('OUT_OF_MEMORY', `too many sessions at once (limit: ${maxSessions})`);
    }
    const last = tokens.length - 1;
    const isAudio = audioMask[last] === 1;
    return this.#sessions.add({
      cfg,
      timesteps,
      rest: unlessEmpty({ tokens: tokens.subarray(0, last), audioMask: audioMask.subarray(0, last), features }),
      kv: { block: new KvBlock(this.#kvShape, 1, bucketFor(last + 1)), row: 0, length: 0 },
      token: tokens[last] as number,
      isAudio,
      patch: isAudio ? features.slice(-this.#patchValues) : new Float32Array(this.#patchValues),
      vae: this.#parts.vae.beginDecoding(),
    });
  }

  async prefill(handle: Handle): Promise<boolean> {
    const session = this.#sessions.get(handle);
    const { rest, kv } = session;
    if (rest === undefined) return true;
    const tokens = rest.tokens.subarray(0, chunkPositions);
    const audio = rest.audioMask.subarray(0, chunkPositions);
    const values = audio.reduce((sum, value) => sum + value, 0) * this.#patchValues;
    const patches = rest.features.subarray(0, values);
    const positions = { block: kv.block, length: tokens.length, tokens, audio, patches, starts: [kv.length] };
    this.#write(positions, await this.#parts.languageModels(positions, ['new_keys', 'new_values']));
    session.kv = { ...kv, length: kv.length + tokens.length };
    session.rest = unlessEmpty({
      tokens: rest.tokens.subarray(chunkPositions),
      audioMask: rest.audioMask.subarray(chunkPositions),
      features: rest.features.subarray(values),
    });
    return session.rest === undefined;
  }

  /** Writes the keys and values of a pass to the caches. */
  #write({ block, starts, length }: Pick<Positions, 'block' | 'starts' | 'length'>, outputs: Outputs): void {
    const { layers, kvHeads, headDim } = this.#kvShape;
    const values = starts.length * layers * kvHeads * headDim * length;
    block.write(floatsOf(outputs, 'new_keys', values), floatsOf(outputs, 'new_values', values), starts, length);
  }

  async step(handles: readonly Handle[], noise: readonly Float32Array[], trace: 'trace' | 'plain'): Promise<Step[]> {
    const sessions = handles.map((handle) => this.#sessions.get(handle));
    const [first] = sessions;
    if (first === undefined) return [];
    if (new Set(sessions).size !== sessions.length) refuse('a session occurs twice in the batch');
    for (const { timesteps, rest, kv } of sessions) {
      if (rest !== undefined) refuse('the prefix of the session is not complete');
      if (timesteps !== first.timesteps) refuse('all sessions of a batch must have the same timesteps');
      if (kv.length >= this.#manifest.maxLength) {
        refuse(`the utterance is longer than the context of ${this.#manifest.maxLength} positions`);
      }
    }
    const block = this.#gather(sessions);
    const positions = {
      block,
      length: 1,
      tokens: Int32Array.from(sessions, ({ token }) => token),
      audio: Uint8Array.from(sessions, ({ isAudio }) => (isAudio ? 1 : 0)),
      patches: concatenate(sessions.filter(({ isAudio }) => isAudio).map(({ patch }) => patch)),
      starts: sessions.map(({ kv }) => kv.length),
    };
    const outputs = await this.#parts.languageModels(positions);
    const patches = await this.#parts.flow(first.timesteps, sessions, noise, outputs.condition as Tensor);
    this.#write(positions, outputs);
    const logits = finiteFloatsOf(outputs, 'stop_logits', 2 * sessions.length);
    const hidden = (name: 'lm_hidden' | 'residual_hidden', index: number): Float32Array =>
      rowOf(finiteFloatsOf(outputs, name, outputs[name]?.size ?? 0), index, sessions.length);
    return sessions.map((session, index) => {
      const patch = rowOf(patches, index, sessions.length);
      session.patch = patch;
      session.isAudio = true;
      session.token = 0;
      session.kv = { ...session.kv, length: session.kv.length + 1 };
      const output = { patch, stopLogits: rowOf(logits, index, sessions.length) };
      if (trace === 'plain') return output;
      return { ...output, lmHidden: hidden('lm_hidden', index), residualHidden: hidden('residual_hidden', index) };
    });
  }

  /** Returns the block of exactly these sessions, with room for one more position each. */
  #gather(sessions: readonly ExportedSession[]): KvBlock {
    const capacity = bucketFor(Math.max(...sessions.map(({ kv }) => kv.length)) + 1);
    const [first] = sessions as [ExportedSession, ...ExportedSession[]];
    const { block } = first.kv;
    const isSame = sessions.every(({ kv }, row) => kv.block === block && kv.row === row);
    if (isSame && block.batch === sessions.length && block.capacity >= capacity) return block;
    const rows = sessions.map(({ kv }) => kv);
    const gathered = KvBlock.gather(this.#kvShape, rows, capacity);
    for (const [row, session] of sessions.entries()) session.kv = { ...session.kv, block: gathered, row };
    return gathered;
  }

  async decode(handles: readonly Handle[], patches: readonly Float32Array[]): Promise<Float32Array[]> {
    const sessions = handles.map((handle) => this.#sessions.get(handle));
    const results: Float32Array[] = [];
    for (const [index, session] of sessions.entries()) {
      const latents = patches[index] as Float32Array;
      if (latents.length === 0 || latents.length % this.#patchValues !== 0) {
        refuse(`patches must have a multiple of ${this.#patchValues} values, got ${latents.length}`);
      }
      const { samples, state } = await this.#parts.vae.decode(latents, session.vae);
      session.vae = state;
      results.push(samples);
    }
    return results;
  }

  async closeSession(handle: Handle): Promise<void> {
    this.#sessions.remove(handle);
  }

  async close(): Promise<void> {
    this.#sessions.clear();
    await this.#close();
  }
}

const unlessEmpty = (prefix: Prefix): Prefix | undefined => (prefix.tokens.length === 0 ? undefined : prefix);

function modelInfo(manifest: Manifest, device: string): ModelInfo {
  return {
    name: manifest.name,
    architecture: manifest.architecture,
    patchSize: manifest.patchSize,
    featureDim: manifest.featureDim,
    patchSamples: manifest.patchSize * manifest.decodeHop,
    inputPatchSamples: manifest.patchSize * manifest.encodeHop,
    inputSampleRate: manifest.inputSampleRate,
    outputSampleRate: manifest.outputSampleRate,
    contextLength: manifest.maxLength,
    weightType: manifest.types.lm,
    device: `ONNX ${device}`,
    limits: manifest.limits,
  };
}
