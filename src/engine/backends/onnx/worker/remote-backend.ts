/** The backend of an ONNX model that computes elsewhere: calls by message, sessions by number. */
import { SvcError } from '../../../../errors.ts';
import type {
  Backend,
  DecodeInput,
  MetadataValue,
  ModelInfo,
  Pause,
  Prefix,
  Session,
  SessionOptions,
  Step,
  StepInput,
} from '../../../backend.ts';
import { betweenSlices, throwIfCancelled } from '../../../cancellation.ts';
import type { Handle, StepOutput } from '../model.ts';
import type { Loaded, Remote } from './protocol.ts';

export interface OnnxBackend extends Backend {
  /** `step`, with what each patch was made from, where the model's files say so. */
  traceStep(batch: readonly StepInput[]): Promise<StepOutput[]>;
}

class RemoteSession implements Session {
  readonly timesteps: number;
  readonly handle: Handle;
  readonly owner: Remote;
  #closing: Promise<void> | undefined;

  constructor(owner: Remote, handle: Handle, timesteps: number) {
    this.owner = owner;
    this.handle = handle;
    this.timesteps = timesteps;
  }

  close(): Promise<void> {
    this.#closing ??= this.owner.call('close', this.handle);
    return this.#closing;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }
}

export class RemoteBackend implements OnnxBackend {
  readonly info: ModelInfo;
  readonly #metadata: Loaded['metadata'];
  readonly #remote: Remote;
  #closing: Promise<void> | undefined;

  constructor(remote: Remote, { info, metadata }: Loaded) {
    this.#remote = remote;
    this.info = info;
    this.#metadata = metadata;
  }

  metadata(key: string): MetadataValue | undefined {
    return Object.hasOwn(this.#metadata, key) ? this.#metadata[key] : undefined;
  }

  async encode(samples: Float32Array, signal?: AbortSignal, pause?: Pause): Promise<Float32Array> {
    if (signal !== undefined) throwIfCancelled(signal);
    const call = await this.#remote.call('encode', detached(samples));
    return (await this.#inSlices(call, signal, pause)) as Float32Array;
  }

  async open(prefix: Prefix, options: SessionOptions, signal?: AbortSignal, pause?: Pause): Promise<Session> {
    if (signal !== undefined) throwIfCancelled(signal);
    const { tokens, audioMask, features } = prefix;
    const { cfg, timesteps } = options;
    const call = await this.#remote.call('open', { tokens, audioMask, features: detached(features), cfg, timesteps });
    return new RemoteSession(this.#remote, (await this.#inSlices(call, signal, pause)) as Handle, timesteps);
  }

  async #inSlices(
    call: number,
    signal: AbortSignal | undefined,
    pause: Pause | undefined,
  ): Promise<Float32Array | Handle> {
    try {
      for (;;) {
        const state = await this.#remote.call('advance', call);
        if (state.done) return state.result;
        await betweenSlices(signal, pause);
      }
    } catch (error) {
      await this.#remote.call('abandon', call).catch(() => undefined);
      throw error;
    }
  }

  async step(batch: readonly StepInput[]): Promise<Step[]> {
    const outputs = await this.traceStep(batch);
    return outputs.map(({ patch, stop }) => ({ patch, stop }));
  }

  async traceStep(batch: readonly StepInput[]): Promise<StepOutput[]> {
    const noise = batch.map((input) => detached(input.noise));
    return this.#remote.call(
      'step',
      batch.map((input) => this.#handleOf(input)),
      noise,
    );
  }

  async decode(batch: readonly DecodeInput[]): Promise<Float32Array[]> {
    const patches = batch.map((input) => detached(input.patches));
    return this.#remote.call(
      'decode',
      batch.map((input) => this.#handleOf(input)),
      patches,
    );
  }

  #handleOf({ session }: { readonly session: Session }): Handle {
    if (session instanceof RemoteSession && !session.closed && session.owner === this.#remote) return session.handle;
    throw new SvcError('INVALID_REQUEST', 'expected an open session of this model, received another one');
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#remote.call('dispose').finally(() => this.#remote.end());
    return this.#closing;
  }
}

/** A message takes the whole buffer of a view along: views of larger buffers are copied out of them first. */
const detached = (values: Float32Array): Float32Array =>
  values.byteLength === values.buffer.byteLength ? values : values.slice();
