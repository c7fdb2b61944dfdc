/** The backend of an ONNX model that computes elsewhere: calls by message, sessions by number. */
import { SvcError } from '../../../errors.ts';
import type {
  Backend,
  DecodeInput,
  MetadataValue,
  ModelInfo,
  Prefix,
  Session,
  SessionOptions,
  Step,
  StepInput,
} from '../../backend.ts';
import type { Handle, StepOutput } from './model.ts';
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

  encode(samples: Float32Array): Promise<Float32Array> {
    return this.#remote.call('encode', detached(samples));
  }

  async open({ tokens, audioMask, features }: Prefix, options: SessionOptions, signal?: AbortSignal): Promise<Session> {
    signal?.throwIfAborted();
    const { cfg, timesteps } = options;
    const cancel = new Int32Array(new Flag(Int32Array.BYTES_PER_ELEMENT));
    const onAbort = (): void => void Atomics.store(cancel, 0, 1);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const input = { tokens, audioMask, features: detached(features), cfg, timesteps, cancel };
      return new RemoteSession(this.#remote, await this.#remote.call('open', input), timesteps);
    } finally {
      signal?.removeEventListener('abort', onAbort);
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

/** Browsers have shared memory on isolated pages only; there the model is in the same thread, which needs none. */
const Flag = globalThis.SharedArrayBuffer ?? ArrayBuffer;

/** A message takes the whole buffer of a view along: views of larger buffers are copied out of them first. */
const detached = (values: Float32Array): Float32Array =>
  values.byteLength === values.buffer.byteLength ? values : values.slice();
