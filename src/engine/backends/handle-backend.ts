/** Wraps a `ModelPort` as a `Backend`: handles become sessions, slices become cancelable calls. */

import { betweenSlices, throwIfCanceled } from '../../cancellation.ts';
import { SvcError } from '../../errors.ts';
import { concatenate } from '../../float-arrays.ts';
import { requestError } from '../../validation.ts';
import type {
  Adapter,
  AdapterUse,
  Backend,
  DecodeInput,
  MetadataValue,
  ModelInfo,
  Pause,
  Prefix,
  Session,
  SessionOptions,
  StageTimes,
  Step,
  StepInput,
  VoiceMemory,
} from '../backend.ts';
import type { LoraWeights } from '../lora/lora-weights.ts';
import type { AdapterPort, Handle, ModelPort, StepOutput } from './model-port.ts';

class HandleSession implements Session {
  readonly model: ModelPort;
  readonly handle: Handle;
  readonly timesteps: number;
  #closing: Promise<void> | undefined;

  constructor(model: ModelPort, handle: Handle, timesteps: number) {
    this.model = model;
    this.handle = handle;
    this.timesteps = timesteps;
  }

  close(): Promise<void> {
    this.#closing ??= this.model.closeSession(this.handle);
    return this.#closing;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }
}

class HandleAdapter implements Adapter {
  readonly port: AdapterPort;
  readonly handle: Handle;
  #closing: Promise<void> | undefined;

  constructor(port: AdapterPort, handle: Handle) {
    this.port = port;
    this.handle = handle;
  }

  close(): Promise<void> {
    this.#closing ??= this.port.closeAdapter(this.handle);
    return this.#closing;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }
}

/** The description of a model, passed through unchanged, and its adapters if it supports them. */
interface Description extends Pick<Backend, 'info' | 'metadata' | 'stageTimes' | 'voiceMemory'> {
  readonly adapters?: AdapterPort;
}

export class HandleBackend<Model extends ModelPort = ModelPort> implements Backend {
  readonly info: ModelInfo;
  /** The wrapped model, for verification. */
  readonly model: Model;
  readonly openAdapter?: (weights: LoraWeights) => Promise<Adapter>;
  readonly #description: Description;
  #closing: Promise<void> | undefined;

  constructor(model: Model, description: Description) {
    this.model = model;
    this.info = description.info;
    this.#description = description;
    const { adapters } = description;
    if (adapters) this.openAdapter = (weights) => this.#openAdapter(adapters, weights);
  }

  metadata(key: string): MetadataValue | undefined {
    return this.#description.metadata(key);
  }

  stageTimes(): StageTimes | undefined {
    return this.#description.stageTimes?.();
  }

  voiceMemory(): VoiceMemory | undefined {
    return this.#closing === undefined ? this.#description.voiceMemory?.() : undefined;
  }

  async encode(samples: Float32Array, signal?: AbortSignal, pause?: Pause): Promise<Float32Array> {
    throwIfCanceled(signal);
    const encoding = await this.model.openEncoding(samples);
    const slices: Float32Array[] = [];
    try {
      for (;;) {
        const slice = await this.model.encode(encoding);
        if (slice.length === 0) return concatenate(slices);
        slices.push(slice);
        await betweenSlices(signal, pause);
      }
    } finally {
      await this.model.closeEncoding(encoding);
    }
  }

  async open(prefix: Prefix, options: SessionOptions, signal?: AbortSignal, pause?: Pause): Promise<Session> {
    throwIfCanceled(signal);
    const { tokens, audioMask, features } = prefix;
    const { cfg, timesteps, text, adapter } = options;
    const handle = await this.model.open({
      tokens,
      audioMask,
      features,
      cfg,
      timesteps,
      text: text && Int32Array.of(text.first, text.count),
      adapter: adapter && this.#handleOfAdapter(adapter),
      weight: adapter?.weight,
    });
    try {
      while (!(await this.model.prefill(handle))) await betweenSlices(signal, pause);
    } catch (error) {
      await this.model.closeSession(handle);
      throw error;
    }
    return new HandleSession(this.model, handle, timesteps);
  }

  async step(batch: readonly StepInput[]): Promise<Step[]> {
    const outputs = await this.#step(batch, 'plain');
    return outputs.map(({ patch, stopLogits, attention, failure }) => ({
      patch,
      stop: isStop(stopLogits),
      attention,
      failure: failure === undefined ? undefined : requestError(failure, 'lora'),
    }));
  }

  /** `step` with the hidden states of each patch. */
  traceStep(batch: readonly StepInput[]): Promise<StepOutput[]> {
    return this.#step(batch, 'trace');
  }

  async #step(batch: readonly StepInput[], trace: 'trace' | 'plain'): Promise<StepOutput[]> {
    const handles = this.#handlesOf(batch);
    return this.model.step(
      handles,
      batch.map(({ noise }) => noise),
      trace,
    );
  }

  async decode(batch: readonly DecodeInput[]): Promise<Float32Array[]> {
    const handles = this.#handlesOf(batch);
    return this.model.decode(
      handles,
      batch.map(({ patches }) => patches),
    );
  }

  async #openAdapter(port: AdapterPort, { scale, updates }: LoraWeights): Promise<Adapter> {
    const handle = await port.openAdapter(
      updates.map(({ target }) => target),
      Int32Array.from(updates, ({ rank }) => rank),
      updates.map(({ a }) => a),
      updates.map(({ b }) => b),
      scale,
    );
    return new HandleAdapter(port, handle);
  }

  #handleOfAdapter({ adapter }: AdapterUse): Handle {
    const { adapters } = this.#description;
    if (adapter instanceof HandleAdapter && !adapter.closed && adapter.port === adapters) return adapter.handle;
    throw new SvcError('INVALID_REQUEST', 'the adapter is closed or belongs to another model');
  }

  #handlesOf(batch: readonly { readonly session: Session }[]): Handle[] {
    return batch.map(({ session }) => {
      if (session instanceof HandleSession && !session.closed && session.model === this.model) return session.handle;
      throw new SvcError('INVALID_REQUEST', 'the session is closed or belongs to another model');
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.model.close();
    return this.#closing;
  }
}

const isStop = (logits: Float32Array): boolean => (logits[1] ?? 0) > (logits[0] ?? 0);
