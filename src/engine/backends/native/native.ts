/** The runtime for GGUF files: ggml through the native addon. */
import { concatenate } from '../../../concatenate.ts';
import { SvcError } from '../../../errors.ts';
import type {
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
} from '../../backend.ts';
import { betweenSlices, throwIfCancelled } from '../../cancellation.ts';
import { limitsOfMetadata } from '../../model-limits.ts';
import type { BackendName } from '../../request.ts';
import type { NativeModel, NativeStepOutput } from './addon.ts';
import { chooseDevice, defaultThreads } from './device.ts';
import { loadNative } from './load-addon.ts';

export interface NativeBackendOptions {
  readonly backend: BackendName;
  /** CPU threads; a thread a physical core when left out. */
  readonly threads?: number | undefined;
  /** More folders with ggml backend libraries; only the first call of a process can add them. */
  readonly libraryPath?: readonly string[] | undefined;
  /** CPU kernels by name, for comparing them; the best for this processor when left out. */
  readonly kernels?: string | undefined;
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

  async encode(samples: Float32Array, signal?: AbortSignal, pause?: Pause): Promise<Float32Array> {
    if (signal !== undefined) throwIfCancelled(signal);
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
    if (signal !== undefined) throwIfCancelled(signal);
    const { tokens, audioMask, features } = prefix;
    const { cfg, timesteps } = options;
    const handle = await this.model.open(tokens, audioMask, features, cfg, timesteps);
    try {
      while (!(await this.model.prefill(handle))) await betweenSlices(signal, pause);
    } catch (error) {
      await this.model.closeSession(handle);
      throw error;
    }
    return new GgufSession(this.model, handle, timesteps);
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
