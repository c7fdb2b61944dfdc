/** Wraps a `ModelPort` as a `Backend`: handles become sessions, slices become cancelable calls. */

import { betweenSlices, throwIfCanceled } from '../../cancellation.ts';
import { SvcError } from '../../errors.ts';
import { concatenate } from '../../float-arrays.ts';
import type {
  Adapter,
  AdapterUse,
  Backend,
  DecodeInput,
  DeviceUse,
  MetadataValue,
  ModelInfo,
  Pause,
  Session,
  SessionSettings,
  StageTimes,
  Step,
  StepInput,
  VoiceMemory,
} from '../backend.ts';
import type { LoraWeights } from '../lora/lora-weights.ts';
import type { AdapterPort, Handle, LossPort, ModelPort } from './model-port.ts';

/** A model whose device may be lost, or one in memory. */
type AnyPort = ModelPort & Partial<LossPort>;

/** The object behind a handle, freed once. */
class Owned {
  readonly handle: Handle;
  readonly #free: () => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(handle: Handle, free: () => Promise<void>) {
    this.handle = handle;
    this.#free = free;
  }

  close(): Promise<void> {
    this.#closing ??= this.#free();
    return this.#closing;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }
}

class HandleSession extends Owned implements Session {
  readonly model: AnyPort;
  readonly timesteps: number;
  readonly group: number;

  constructor(model: AnyPort, handle: Handle, timesteps: number) {
    super(handle, () => model.closeSession(handle));
    this.model = model;
    this.timesteps = timesteps;
    this.group = model.groupOf?.(handle) ?? 0;
  }
}

class HandleAdapter extends Owned implements Adapter {
  readonly port: AdapterPort;
  readonly #model: AnyPort;

  constructor(port: AdapterPort, handle: Handle, model: AnyPort) {
    super(handle, () => port.closeAdapter(handle));
    this.port = port;
    this.#model = model;
  }

  get isLost(): boolean {
    return this.#model.isGone?.(this.handle) ?? false;
  }
}

/** The description of a model, passed through unchanged, and its adapters if it supports them. */
interface Description
  extends Pick<
    Backend,
    'info' | 'metadata' | 'stageTimes' | 'voiceMemory' | 'decodesBeside' | 'deviceUse' | 'mostStreams'
  > {
  readonly adapters?: AdapterPort;
}

export class HandleBackend<Model extends AnyPort = AnyPort> implements Backend {
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

  get decodesBeside(): boolean {
    return this.#description.decodesBeside ?? false;
  }

  deviceUse(): readonly DeviceUse[] | undefined {
    return this.#closing === undefined ? this.#description.deviceUse?.() : undefined;
  }

  get mostStreams(): number | undefined {
    return this.#description.mostStreams;
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

  async open(settings: SessionSettings, signal?: AbortSignal, pause?: Pause): Promise<Session> {
    throwIfCanceled(signal);
    const { tokens, audioMask, features, cfg, timesteps, text, adapter } = settings;
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

  step(batch: readonly StepInput[]): Promise<Step[]> {
    return this.#step(batch, 'plain');
  }

  /** `step` with the hidden states of each patch. */
  traceStep(batch: readonly StepInput[]): Promise<Step[]> {
    return this.#step(batch, 'trace');
  }

  async #step(batch: readonly StepInput[], trace: 'trace' | 'plain'): Promise<Step[]> {
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
    return new HandleAdapter(port, handle, this.model);
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
