/**
 * A model exported by VoxCPM-ONNX (VoxCPM-0.5B only) to four graphs. Sizes follow from the shapes of their inputs, the
 * number of timesteps is fixed, and whole caches are passed in and out.
 */
import { join } from 'node:path';
import type { Tensor } from 'onnxruntime-common';
import { SvcError } from '../../../../errors.ts';
import type { MetadataValue, ModelInfo, Prefix, Step } from '../../../backend.ts';
import { resolveTokenizer } from '../../../text/tokenizer-files.ts';
import type { Handle, PortSettings } from '../../model-port.ts';
import type { Graph, TensorConstructor } from '../graph.ts';
import { type ExpectedTensor, finiteFloatsOf, float32, int64, requireInterface } from '../graph-interface.ts';
import { Handles } from '../handles.ts';
import { voxcpmOnnxFiles } from '../layout.ts';
import type { OnnxModel, OnnxModelOptions } from '../model.ts';
import { checkModelFolder, readModelText } from '../node-platform.ts';
import { checkSettings, refuse } from '../prefix-check.ts';
import { loadRuntime, openGraph } from '../runtime.ts';
import { readSettings, vocabularySize, voxcpmOnnxInfo } from './model-info.ts';

/**
 * Number of latent frames before a patch that its audio depends on. The decoder's left context is 6 frames of its first
 * convolution and, after upsampling by 8 (by 7 in VoxCPM 1.5), 1 frame and 78 samples of the first block: 17 (18). All
 * later blocks add 2 (3).
 */
const contextFrames = 24;

const caches = ['base_next_keys', 'base_next_values', 'residual_next_keys', 'residual_next_values'] as const;

interface VoxcpmOnnxSession {
  readonly cfg: Tensor;
  /** The rest of the prefix for `prefill`; undefined when the session is ready to step. */
  rest: Prefix | undefined;
  /** Inputs of the next step: hidden state, caches, previous patch. */
  state: Readonly<Record<string, Tensor>>;
  /** Positions of prefix and patches. */
  length: number;
  /** Stop decision for the next patch: these graphs decide one patch ahead. */
  stop: boolean;
  /** Latent frames that the next audio depends on. */
  context: Float32Array;
}

interface Graphs {
  readonly encoder: Graph;
  readonly decoder: Graph;
  readonly prefill: Graph;
  readonly step: Graph;
}

/** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY */
export async function openVoxcpmOnnx(options: OnnxModelOptions): Promise<OnnxModel> {
  const { directory } = options;
  const { Tensor } = await loadRuntime();
  await checkModelFolder(directory);
  const tokenizer = await readTokenizer(directory);
  const graphs: Graph[] = [];
  const open = async (file: string): Promise<Graph> => {
    const graph = await openGraph(join(directory, file), options);
    graphs.push(graph);
    return graph;
  };
  try {
    const opened = {
      encoder: await open(voxcpmOnnxFiles.encoder),
      decoder: await open(voxcpmOnnxFiles.decoder),
      prefill: await open(voxcpmOnnxFiles.prefill),
      step: await open(voxcpmOnnxFiles.step),
    };
    checkInterfaces(opened);
    const settings = await readSettings(directory);
    const info = await voxcpmOnnxInfo(opened, options.device, Tensor, settings);
    const limits = { vocabularySize: vocabularySize(tokenizer), timesteps: settings.timesteps };
    return new VoxcpmOnnx(opened, info, limits, new Map([['tokenizer.huggingface.json', tokenizer]]), Tensor);
  } catch (error) {
    for (const graph of graphs) await graph.close();
    throw error;
  }
}

/** Folders by svc have a file that is resolved already, and no others. */
async function readTokenizer(directory: string): Promise<string> {
  const tokenizer = await readModelText(directory, voxcpmOnnxFiles.tokenizer);
  const tokenizerConfig = await readModelText(directory, 'tokenizer_config.json').catch(() => undefined);
  if (tokenizerConfig === undefined) return tokenizer;
  const specialTokensMap = await readModelText(directory, 'special_tokens_map.json').catch(() => '{}');
  return resolveTokenizer({ tokenizer, tokenizerConfig, specialTokensMap });
}

function checkInterfaces({ encoder, decoder, prefill, step }: Graphs): void {
  const mask: ExpectedTensor = { type: 'int32', shape: [1, undefined] };
  requireInterface(encoder, voxcpmOnnxFiles.encoder, {
    inputs: { audio_data: float32(undefined, 1, undefined) },
    outputs: ['z'],
  });
  requireInterface(decoder, voxcpmOnnxFiles.decoder, {
    inputs: { z: float32(undefined, undefined, undefined) },
    outputs: ['audio'],
  });
  const inputs = { text: int64(1, undefined), text_mask: mask, feat_mask: mask };
  const state = ['dit_hidden', 'prefix_feat_cond', ...caches];
  requireInterface(prefill, voxcpmOnnxFiles.prefill, {
    inputs: { ...inputs, feat: float32(1, undefined, undefined, undefined) },
    outputs: state,
  });
  // The runtime checks the shapes of tensors passed from one graph to the next.
  const given = step.inputs.map(({ name }) => name);
  const missing = [...state, 'noise', 'cfg_value'].find((name) => !given.includes(name));
  if (missing === undefined && given.length === state.length + 2) return;
  throw new SvcError(
    'MODEL_INVALID',
    `${voxcpmOnnxFiles.step}: ${missing === undefined ? 'unknown inputs' : `input "${missing}" is missing`}`,
  );
}

/** Limits from the files beside the graphs. */
interface FileLimits {
  readonly vocabularySize: number;
  readonly timesteps: number;
}

class VoxcpmOnnx implements OnnxModel {
  readonly info: ModelInfo;
  readonly metadata: ReadonlyMap<string, MetadataValue>;
  readonly #graphs: Graphs;
  readonly #limits: FileLimits;
  readonly #Tensor: TensorConstructor;
  readonly #patchValues: number;
  /** Samples are emptied once encoded. */
  readonly #encodings = new Handles<{ samples: Float32Array }>('recording');
  readonly #sessions = new Handles<VoxcpmOnnxSession>('session');

  constructor(
    graphs: Graphs,
    info: ModelInfo,
    limits: FileLimits,
    metadata: ReadonlyMap<string, MetadataValue>,
    tensor: TensorConstructor,
  ) {
    this.#graphs = graphs;
    this.info = info;
    this.metadata = metadata;
    this.#limits = limits;
    this.#Tensor = tensor;
    this.#patchValues = info.patchSize * info.featureDim;
  }

  async openEncoding(samples: Float32Array): Promise<Handle> {
    return this.#encodings.add({ samples });
  }

  /** The graph encodes a whole recording in one run. */
  async encode(handle: Handle): Promise<Float32Array> {
    const encoding = this.#encodings.get(handle);
    const { samples } = encoding;
    if (samples.length === 0) return samples;
    encoding.samples = new Float32Array(0);
    const audio = new this.#Tensor('float32', samples, [1, 1, samples.length]);
    const outputs = await this.#graphs.encoder.run({ audio_data: audio });
    const { featureDim, patchSize, patchSamples } = this.info;
    const frames = Math.ceil(samples.length / (patchSamples / patchSize));
    return transposed(finiteFloatsOf(outputs, 'z', featureDim * frames), featureDim, frames);
  }

  async closeEncoding(handle: Handle): Promise<void> {
    this.#encodings.remove(handle);
  }

  async open({ tokens, audioMask, features, cfg, timesteps }: PortSettings): Promise<Handle> {
    const prefix = { tokens, audioMask, features };
    const limits = { ...this.#limits, contextLength: this.info.contextLength, patchValues: this.#patchValues };
    checkSettings({ ...prefix, cfg, timesteps }, limits);
    if (timesteps !== this.#limits.timesteps) {
      throw new SvcError(
        'INVALID_REQUEST',
        `timesteps must be ${this.#limits.timesteps}, which is fixed in this model, got ${timesteps}`,
      );
    }
    // The export supports sequences of at least two positions.
    if (tokens.length < 2) refuse(`the sequence must have at least 2 positions, got ${tokens.length}`);
    return this.#sessions.add({
      cfg: new this.#Tensor('float32', Float32Array.of(cfg), []),
      rest: prefix,
      state: {},
      length: tokens.length,
      stop: false,
      context: new Float32Array(0),
    });
  }

  async prefill(handle: Handle): Promise<boolean> {
    const session = this.#sessions.get(handle);
    if (session.rest === undefined) return true;
    const { tokens, audioMask, features } = session.rest;
    const Tensor = this.#Tensor;
    const { length } = tokens;
    const { patchSize, featureDim } = this.info;
    const patches = new Float32Array(length * this.#patchValues);
    let next = 0;
    for (const [position, isAudio] of audioMask.entries()) {
      if (isAudio === 0) continue;
      const patch = features.subarray(next * this.#patchValues, (next + 1) * this.#patchValues);
      patches.set(patch, position * this.#patchValues);
      next += 1;
    }
    const mask = (of: (audio: number) => number): Tensor =>
      new Tensor('int32', Int32Array.from(audioMask, of), [1, length]);
    session.state = await this.#graphs.prefill.run({
      text: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, length]),
      text_mask: mask((audio) => 1 - audio),
      feat: new Tensor('float32', patches, [1, length, patchSize, featureDim]),
      feat_mask: mask((audio) => audio),
    });
    session.rest = undefined;
    return true;
  }

  async step(handles: readonly Handle[], noise: readonly Float32Array[]): Promise<Step[]> {
    const results: Step[] = [];
    for (const [index, handle] of handles.entries()) {
      results.push(await this.#stepOne(this.#sessions.get(handle), noise[index] as Float32Array));
    }
    return results;
  }

  async #stepOne(session: VoxcpmOnnxSession, noise: Float32Array): Promise<Step> {
    const { patchSize, featureDim, contextLength } = this.info;
    if (session.rest !== undefined) refuse('the prefix of the session is not complete');
    if (noise.length !== this.#patchValues) {
      refuse(`noise must have ${this.#patchValues} values per session, got ${noise.length}`);
    }
    if (session.length >= contextLength)
      refuse(`the utterance is longer than the context of ${contextLength} positions`);
    const outputs = await this.#graphs.step.run({
      ...session.state,
      noise: new this.#Tensor('float32', noise, [1, patchSize, featureDim]),
      cfg_value: session.cfg,
    });
    const values = finiteFloatsOf(outputs, 'pred_feat', this.#patchValues);
    const patch = outputs.pred_feat as Tensor;
    session.state = {
      dit_hidden: outputs.new_dit_hidden as Tensor,
      prefix_feat_cond: patch,
      ...Object.fromEntries(caches.map((name) => [name, outputs[`new_${name}`] as Tensor])),
    };
    const { stop } = session;
    session.stop = ((outputs.stop_flag as Tensor).data as Uint8Array)[0] === 1;
    session.length += 1;
    // The graphs return only the decision, not the logits.
    return { patch: values.slice(), stopLogits: stop ? Float32Array.of(0, 1) : Float32Array.of(1, 0) };
  }

  async decode(handles: readonly Handle[], patches: readonly Float32Array[]): Promise<Float32Array[]> {
    const results: Float32Array[] = [];
    for (const [index, handle] of handles.entries()) {
      results.push(await this.#decodeOne(this.#sessions.get(handle), patches[index] as Float32Array));
    }
    return results;
  }

  /** Decodes the context again and cuts it off, as the decoder has no state. */
  async #decodeOne(session: VoxcpmOnnxSession, patches: Float32Array): Promise<Float32Array> {
    if (patches.length === 0 || patches.length % this.#patchValues !== 0) {
      refuse(`patches must have a multiple of ${this.#patchValues} values, got ${patches.length}`);
    }
    const { featureDim, patchSize, patchSamples } = this.info;
    const latents = new Float32Array(session.context.length + patches.length);
    latents.set(session.context);
    latents.set(patches, session.context.length);
    const frames = latents.length / featureDim;
    const z = new this.#Tensor('float32', transposed(latents, frames, featureDim), [1, featureDim, frames]);
    const outputs = await this.#graphs.decoder.run({ z });
    const audio = finiteFloatsOf(outputs, 'audio', (frames / patchSize) * patchSamples);
    session.context = latents.slice(Math.max(0, frames - contextFrames) * featureDim);
    const samples = (patches.length / featureDim / patchSize) * patchSamples;
    return audio.slice(-samples);
  }

  async closeSession(handle: Handle): Promise<void> {
    this.#sessions.remove(handle);
  }

  async close(): Promise<void> {
    this.#sessions.clear();
    for (const graph of Object.values(this.#graphs)) await graph.close();
  }
}

/** Transposes `[rows, columns]`. */
function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  const result = new Float32Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      result[column * rows + row] = values[row * columns + column] as number;
    }
  }
  return result;
}
