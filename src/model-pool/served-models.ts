/** Models of a server: their names, which are loaded, and leases that keep a model loaded during a request. */
import { once } from '../admission/concurrency.ts';
import type { AdmissionQueue } from '../admission/queue.ts';
import type { DeviceUse, ModelInfo, ModelLimits, VoiceMemory } from '../engine/backend.ts';
import type { SpeechSource } from '../engine/speech-source.ts';
import { SvcError } from '../errors.ts';
import type { ModelNames } from './model-names.ts';

export interface ModelLease {
  readonly name: string;
  readonly engine: SpeechSource;
  /** Admits its requests, where each model has a queue of its own. */
  readonly queue?: AdmissionQueue;
  release(): void;
}

export interface LeaseOptions {
  /** Milliseconds that the model stays loaded after its last request; default: that of the server. */
  readonly keepAlive?: number | undefined;
  /** Runs the wait for a model that must be loaded first; its signal ends the wait. */
  wait<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

export interface ModelStatus {
  readonly name: string;
  readonly aliases: readonly string[];
  /** `unloading` waits for the last requests. */
  readonly state: 'unloaded' | 'loading' | 'loaded' | 'unloading';
  /** Undefined until the model was loaded for the first time. */
  readonly info: ModelInfo | undefined;
  /** Known before the model is loaded; undefined if its files can't be read. */
  readonly limits: ModelLimits | undefined;
  readonly requests: number;
  /** Requests that its workers run at once, where it has workers. */
  readonly capacity?: number;
  /** Estimate of its memory, in bytes, while it is loaded. */
  readonly memoryBytes: number | undefined;
  /** Memory of voices of a loaded model; undefined if unknown. */
  readonly voiceMemory: VoiceMemory | undefined;
  /** The GPUs of a loaded model, if any. */
  readonly devices?: readonly DeviceUse[] | undefined;
  /** When the model is unloaded unless it is used again; undefined in use, and for models that stay loaded. */
  readonly expiresAt: Date | undefined;
}

export interface ServedModels extends ModelNames {
  /** In the order of the options; the first is the default. */
  list(): readonly ModelStatus[];
  /** @throws SvcError BACKEND_UNAVAILABLE if the model can't be loaded, OUT_OF_MEMORY, CANCELLED */
  lease(name: string, options: LeaseOptions): Promise<ModelLease>;
  /** Unloads a model, or marks it to be unloaded after its last request. @throws SvcError CONFLICT if it is always loaded */
  unload(name: string): Promise<void>;
}

/** A single model that is always loaded. @param memoryBytes estimate of its memory */
export function createFixedModel(
  engine: SpeechSource,
  names: ModelNames,
  { memoryBytes }: { readonly memoryBytes?: number | undefined } = {},
): ServedModels {
  const { defaultName: name } = names;
  let requests = 0;
  return {
    ...names,
    list: () => [
      {
        name,
        aliases: names.aliasesOf(name),
        state: 'loaded',
        info: engine.info,
        limits: engine.info.limits,
        requests,
        memoryBytes,
        voiceMemory: engine.voiceMemory?.(),
        devices: engine.deviceUse?.(),
        expiresAt: undefined,
      },
    ],
    async lease() {
      requests += 1;
      const release = once(() => {
        requests -= 1;
      });
      return { name, engine, release };
    },
    async unload() {
      const problem = `model "${name}" is always loaded`;
      throw new SvcError('CONFLICT', `${problem}; start svc serve with --keep-alive to unload it`);
    },
  };
}
