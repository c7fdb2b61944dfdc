/** The runtime for GGUF files: ggml through the native addon. */
import { availableParallelism } from 'node:os';
import type { ModelInfo } from '../../backend.ts';
import type { BackendName, DitType } from '../../engine-options.ts';
import { limitsOfMetadata } from '../../model-limits.ts';
import { HandleBackend } from '../handle-backend.ts';
import type { NativeModel } from './addon.ts';
import { defaultThreads } from './default-threads.ts';
import { chooseDevice } from './device.ts';
import { loadNative } from './load-addon.ts';
import { trustedKernels } from './trusted-kernels.ts';

export interface NativeBackendOptions {
  readonly backend: BackendName;
  /** CPU threads. Default: one per physical core. */
  readonly threads?: number | undefined;
  /** Additional folders with ggml backend libraries; only used by the first call in a process. */
  readonly libraryPath?: readonly string[] | undefined;
  /** Default: `auto`. */
  readonly ditType?: DitType | undefined;
  /** Replaces the name that the file states. */
  readonly name?: string | undefined;
  /** Name of CPU kernels, for comparisons. Default: the best for this processor. */
  readonly kernels?: string | undefined;
}

export type NativeBackend = HandleBackend<NativeModel>;

/**
 * Loads a `.gguf` file.
 *
 * @throws SvcError or an error with its codes: MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY
 */
export const openNativeBackend = async (path: string, options: NativeBackendOptions): Promise<NativeBackend> =>
  (await whileLoading(path, options, () => undefined)).backend;

/**
 * Loads a `.gguf` file, and calls `work` while the weights are being loaded: with a backend whose `info` and `metadata`
 * are there, for anything that takes time.
 *
 * @throws as openNativeBackend, and what `work` throws
 */
export async function whileLoading<Result>(
  path: string,
  options: NativeBackendOptions,
  work: (backend: NativeBackend) => Result,
): Promise<{ readonly backend: NativeBackend; readonly result: Result }> {
  const native = loadNative(options.libraryPath);
  const device = chooseDevice(options.backend, native);
  const model = await native.addon.openModel(
    path,
    device.name,
    // More threads than processors that it may use would only keep each other from working.
    Math.min(options.threads ?? defaultThreads().threads, availableParallelism()),
    options.kernels ?? trustedKernels(native.addon),
    options.ditType,
  );
  const loading = model.load();
  const backend = new HandleBackend(model, {
    info: modelInfo(model, options.name),
    metadata: (key) => model.metadata(key),
    stageTimes: () => model.stageTimes(),
    voiceMemory: () => model.memoryUse(),
    adapters: model,
  });
  try {
    const [result] = await Promise.all([(async () => work(backend))(), loading]);
    return { backend, result: result as Result };
  } catch (error) {
    await backend[Symbol.asyncDispose]();
    throw error;
  }
}

function modelInfo(model: NativeModel, given: string | undefined): ModelInfo {
  const { info } = model;
  const stated = model.metadata('general.name');
  return {
    name: given ?? (typeof stated === 'string' ? stated : info.architecture),
    architecture: info.architecture,
    patchSize: info.patchSize,
    featureDim: info.featureDim,
    patchSamples: info.patchSize * info.decodeHop,
    inputPatchSamples: info.patchSize * info.encodeHop,
    inputSampleRate: info.inputSampleRate,
    outputSampleRate: info.outputSampleRate,
    contextLength: info.maxLength,
    weightType: info.weightType,
    device: info.device,
    limits: limitsOfMetadata((key) => model.metadata(key)),
  };
}
