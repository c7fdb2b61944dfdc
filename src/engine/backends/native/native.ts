/** The runtime for GGUF files: ggml through the native addon. */
import { availableParallelism } from 'node:os';
import type { ModelInfo } from '../../backend.ts';
import type { BackendName, DeviceChoice, DitType } from '../../engine-options.ts';
import { limitsOfMetadata } from '../../model-limits.ts';
import { HandleBackend } from '../handle-backend.ts';
import type { NativeModel } from './addon.ts';
import { defaultThreads } from './default-threads.ts';
import { type ChosenDevice, chooseDevice, type DeviceSettings, workingDevices } from './device.ts';
import { type LoadedAddon, loadNative } from './load-addon.ts';
import { tileKernels, useMeasuredTiles } from './tile-limits.ts';
import { trustedKernels } from './trusted-kernels.ts';

export interface NativeBackendOptions {
  readonly backend: BackendName;
  /** Which of several GPUs. Default: the first that works. */
  readonly device?: DeviceChoice | undefined;
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
  /** How GPUs are tried. */
  readonly devices?: DeviceSettings | undefined;
  /** Utterances that share a pass over the weights, for which a GPU gets memory (default: 1). */
  readonly maxBatch?: number | undefined;
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
  const chosen = await chooseDevice(options.backend, native, settingsOf(options));
  const isCpu = chosen.library === undefined && chosen.device.type === 'cpu';
  const model = isCpu ? await openHere(path, options, native, chosen) : await openOnGpu(path, options, native, chosen);
  const loading = model.load();
  const backend = new HandleBackend(model, {
    info: modelInfo(model, options.name),
    metadata: (key) => model.metadata(key),
    stageTimes: () => model.stageTimes(),
    voiceMemory: () => model.memoryUse(),
    deviceUse() {
      const use = model.deviceUse?.();
      return use && [use];
    },
    get mostStreams() {
      return model.mostStreams;
    },
    adapters: model,
    get decodesBeside() {
      return model.info.decodesBeside;
    },
  });
  try {
    const [result] = await Promise.all([(async () => work(backend))(), loading]);
    return { backend, result: result as Result };
  } catch (error) {
    await backend[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Opens a `.gguf` file on all GPUs of the backend that work; on the CPU where there is none.
 *
 * @throws as openNativeBackend
 */
export async function openOnAllDevices(
  path: string,
  options: NativeBackendOptions,
): Promise<readonly [NativeBackend, ...NativeBackend[]]> {
  const numbers = await workingDevices(options.backend, loadNative(options.libraryPath), settingsOf(options));
  const opened = await Promise.allSettled(
    numbers.map((device) => openNativeBackend(path, { ...options, device: device ?? undefined })),
  );
  const backends = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = opened.find((one) => one.status === 'rejected');
  const [first, ...others] = backends;
  if (failed === undefined && first !== undefined) return [first, ...others];
  await Promise.all(backends.map((backend) => backend[Symbol.asyncDispose]()));
  throw failed?.reason;
}

const settingsOf = ({ devices, device }: NativeBackendOptions): DeviceSettings => ({
  ...devices,
  number: device === 'all' ? undefined : device,
});

// More threads than processors that it may use would only keep each other from working.
const threadsFor = ({ threads }: NativeBackendOptions): number =>
  Math.min(threads ?? defaultThreads().threads, availableParallelism());

/** Opens a model in this process. */
async function openHere(
  path: string,
  options: NativeBackendOptions,
  native: LoadedAddon,
  { device }: ChosenDevice,
): Promise<NativeModel> {
  const { addon } = native;
  const kernels = options.kernels ?? trustedKernels(addon);
  const model = await addon.openModel(path, device.name, threadsFor(options), kernels, options.ditType);
  if (model.info.kernels === tileKernels) await useMeasuredTiles(native, options.devices?.cacheFolder);
  return model;
}

async function openOnGpu(
  path: string,
  options: NativeBackendOptions,
  native: LoadedAddon,
  chosen: ChosenDevice,
): Promise<NativeModel> {
  // Most machines have none.
  const { openOnLosable } = await import('./gpu/open-on-gpu.ts');
  const { backend, ditType, maxBatch: sessions = 1 } = options;
  return openOnLosable(chosen, {
    ...{ path, native, backend, ditType, sessions, threads: threadsFor(options), devices: settingsOf(options) },
    openHere: (device) => openHere(path, options, native, device),
  });
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
    get device() {
      return model.info.device;
    },
    limits: limitsOfMetadata((key) => model.metadata(key)),
  };
}
