/** The runtime for GGUF files: ggml through the native addon. */
import { SvcError } from '../../errors.ts';
import type {
  Backend,
  DecodeInput,
  MetadataValue,
  ModelInfo,
  Prefix,
  Session,
  SessionOptions,
  StageTimes,
  Step,
  StepInput,
} from '../backend.ts';
import { limitsOfMetadata } from '../model-limits.ts';
import type { BackendName } from '../request.ts';
import type { NativeModel, NativeStepOutput } from './addon.ts';
import { chooseDevice, defaultThreads } from './device.ts';
import { loadNative } from './load-addon.ts';

export interface NativeBackendOptions {
  readonly backend: BackendName;
  /** CPU threads; a thread a physical core when left out. */
  readonly threads?: number;
  /** More folders with ggml backend libraries; only the first call of a process can add them. */
  readonly libraryPath?: readonly string[];
  /** CPU kernels by name, for comparing them; the best for this processor when left out. */
  readonly kernels?: string;
}

/** What a step made its patch from, for verification. */
export type Trace = NativeStepOutput;

export interface NativeBackend extends Backend {
  /** The model behind the backend; its probes are for verification. */
  readonly model: NativeModel;
  /** `step`, with what each patch was made from. */
  traceStep(batch: readonly StepInput[]): Promise<Trace[]>;
}

/**
 * Loads one `.gguf` file.
 *
 * @throws SvcError or an error with its codes: MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY
 */
export async function openNativeBackend(path: string, options: NativeBackendOptions): Promise<NativeBackend> {
  const native = loadNative(options.libraryPath);
  const device = chooseDevice(options.backend, native);
  const model = await native.addon.openModel(
    path,
    device.name,
    options.threads ?? defaultThreads(),
    options.kernels ?? '',
  );
  return new GgufBackend(model);
}

class GgufSession implements Session {
  readonly timesteps: number;
  readonly handle: number;
  readonly #model: NativeModel;
  #closing: Promise<void> | undefined;

  constructor(model: NativeModel, handle: number, timesteps: number) {
    this.#model = model;
    this.handle = handle;
    this.timesteps = timesteps;
  }

  close(): Promise<void> {
    this.#closing ??= this.#model.closeSession(this.handle);
    return this.#closing;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }
}

class GgufBackend implements NativeBackend {
  readonly info: ModelInfo;
  readonly model: NativeModel;
  #closing: Promise<void> | undefined;

  constructor(model: NativeModel) {
    this.model = model;
    this.info = modelInfo(model);
  }

  metadata(key: string): MetadataValue | undefined {
    return this.model.metadata(key);
  }

  stageTimes(): StageTimes | undefined {
    return this.model.stageTimes();
  }

  encode(samples: Float32Array): Promise<Float32Array> {
    return this.model.encode(samples);
  }

  async open(prefix: Prefix, options: SessionOptions, signal?: AbortSignal): Promise<Session> {
    signal?.throwIfAborted();
    const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const onAbort = (): void => {
      Atomics.store(cancel, 0, 1);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const handle = await this.model.open(
        prefix.tokens,
        prefix.audioMask,
        prefix.features,
        options.cfg,
        options.timesteps,
        cancel,
      );
      return new GgufSession(this.model, handle, options.timesteps);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async step(batch: readonly StepInput[]): Promise<Step[]> {
    const outputs = await this.model.step(
      batch.map(handleOf),
      batch.map(({ noise }) => noise),
      'plain',
    );
    return outputs.map(({ patch, stopLogits }) => ({ patch, stop: isStop(stopLogits) }));
  }

  traceStep(batch: readonly StepInput[]): Promise<Trace[]> {
    return this.model.step(
      batch.map(handleOf),
      batch.map(({ noise }) => noise),
      'trace',
    );
  }

  decode(batch: readonly DecodeInput[]): Promise<Float32Array[]> {
    return this.model.decode(
      batch.map(handleOf),
      batch.map(({ patches }) => patches),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.model.close();
    return this.#closing;
  }
}

const isStop = (logits: Float32Array): boolean => (logits[1] ?? 0) > (logits[0] ?? 0);

function handleOf({ session }: { readonly session: Session }): number {
  if (!(session instanceof GgufSession) || session.closed) {
    throw new SvcError('INVALID_REQUEST', 'expected an open session of this model, received another one');
  }
  return session.handle;
}

function modelInfo(model: NativeModel): ModelInfo {
  const { info } = model;
  const name = model.metadata('general.name');
  return {
    name: typeof name === 'string' ? name : info.architecture,
    architecture: info.architecture,
    patchSize: info.patchSize,
    featureDim: info.featureDim,
    patchSamples: info.patchSize * info.decodeHop,
    inputPatchSamples: info.patchSize * info.encodeHop,
    inputSampleRate: info.inputSampleRate,
    outputSampleRate: info.outputSampleRate,
    maxLength: info.maxLength,
    weightType: info.weightType,
    device: info.device,
    limits: limitsOfMetadata((key) => model.metadata(key)),
  };
}
