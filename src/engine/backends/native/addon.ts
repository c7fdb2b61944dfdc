/**
 * Types of the native addon, written by hand to match `native/addon/`. Promises reject and functions throw with an
 * `Error` whose `code` is an `ErrorCode`.
 */
import type { DeviceUse, MetadataValue, StageTimes, VoiceMemory } from '../../backend.ts';
import type { DitType } from '../../engine-options.ts';
import type { AdapterPort, LossPort, ModelPort } from '../model-port.ts';

export interface NativeDevice {
  /** The engine that computes on it, such as `ggml`. */
  readonly engine: string;
  /** `CPU`, `CUDA0`, `Vulkan0`, `Metal`; unique within an engine. */
  readonly name: string;
  readonly description: string;
  readonly type: 'cpu' | 'gpu' | 'igpu' | 'accel';
  /** Place of a GPU on the bus, such as `0000:c1:00.0`; empty if unknown. */
  readonly id?: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** CPU features of the loaded CPU library, such as `AVX512_VNNI`; empty for other devices. */
  readonly features: readonly string[];
}

/** An NVIDIA card. */
export interface NativeCard extends NativeDevice {
  /** The modules of kernels for it: the one that it needs, then those that make it faster; none if it is too old. */
  readonly modules: readonly string[];
  /** Why it is used without the modules that would make it faster. */
  readonly without?: string;
  /** Of its memory; 0 if unknown. */
  readonly bytesPerSecond: number;
  /** In bfloat16 by whole matrix instructions, at the clock that it may reach; cheap cards have half. 0 if unknown. */
  readonly operationsPerSecond: number;
  /** The version of CUDA that the driver supports, such as `13.0`. */
  readonly cudaVersion: string;
}

export type DeviceMemory = Pick<NativeDevice, 'freeBytes' | 'totalBytes'>;

export interface NativeRuntime {
  readonly ggmlVersion: string;
  /** Why the addon uses the ggml in it, without GPUs; undefined if it uses ggml's libraries. */
  readonly whyOwnGgml?: string;
  /** Registered backends: `CPU`. */
  readonly backends: readonly string[];
  /** The CPU. */
  readonly devices: readonly NativeDevice[];
}

/** An array of float32 or int32 values, outermost dimension first. */
export interface NativeTensor {
  readonly data: Float32Array | Int32Array;
  readonly shape: readonly number[];
}

/** Hyperparameters from the model file; sizes in elements. */
export interface NativeModelInfo {
  readonly architecture: 'voxcpm' | 'voxcpm2';
  readonly patchSize: number;
  readonly featureDim: number;
  readonly hiddenSize: number;
  readonly vocabSize: number;
  readonly encodeHop: number;
  readonly decodeHop: number;
  readonly inputSampleRate: number;
  readonly outputSampleRate: number;
  readonly maxLength: number;
  readonly weightType: string;
  /** The engine that computes it, such as `ggml`. */
  readonly engine: string;
  readonly device: string;
  /** CPU kernels in use; empty on other devices. */
  readonly kernels: string;
  /** Whether the device decodes beside steps, so that a step may be called before the samples are there. */
  readonly decodesBeside: boolean;
}

export interface NativeModel extends ModelPort, AdapterPort, Partial<LossPort> {
  readonly info: NativeModelInfo;
  /** Loads the weights, which everything but `info` and `metadata` needs. */
  load(): Promise<void>;
  metadata(key: string): MetadataValue | undefined;
  /** Totals since the model was opened, with the number of graphs that were built; only on our kernels. */
  stageTimes(): (StageTimes & { readonly graphs: number }) | undefined;
  memoryUse(): VoiceMemory;
  /** Only of models on devices that may be lost. */
  deviceUse?(): DeviceUse | undefined;
  /** See `Backend`. */
  readonly mostStreams?: number | undefined;
  /** Computes one stage and returns its named intermediates, for verification. Packages are without it. */
  probe(
    stage: string,
    inputs: Readonly<Record<string, NativeTensor>>,
    parameters: Readonly<Record<string, number>>,
  ): Promise<Record<string, NativeTensor>>;
}

export interface Addon {
  /**
   * Loads ggml's libraries for the CPU from the first directory, and no GPU's. Once per process.
   * Where they don't load, addons for Linux in packages use their own ggml; others throw BACKEND_UNAVAILABLE.
   */
  load(directories: readonly string[]): NativeRuntime;
  /**
   * Reads the description of a model.
   *
   * @param kernels one of `kernelNames`, or the name of an engine (`ggml`: with its own kernels); empty for the best
   * @param ditType `auto` if left out
   */
  openModel(path: string, device: string, threads: number, kernels: string, ditType?: DitType): Promise<NativeModel>;
  /**
   * Loads ggml's library of a GPU backend and returns its devices. A fault of the driver ends the process, so only child
   * processes do this.
   *
   * @throws BACKEND_UNAVAILABLE if the library doesn't load
   */
  loadDevices(library: string): readonly NativeDevice[];
  /**
   * Opens a device to try it.
   *
   * @returns names of the operations that models need
   * @throws BACKEND_UNAVAILABLE, OUT_OF_MEMORY
   */
  openCheck(device: string): readonly string[];
  /**
   * Computes an operation on the device of the last `openCheck`, and compares with the CPU.
   *
   * @throws BACKEND_UNAVAILABLE, OUT_OF_MEMORY
   */
  runCheck(index: number): void;
  /** Zero if the driver doesn't tell. */
  deviceMemory(name: string): DeviceMemory;
  /**
   * Loads the NVIDIA driver and lists its cards. Only child processes do this. Addons for macOS are without it and the others
   * of cards.
   *
   * @throws BACKEND_UNAVAILABLE if the driver is missing, too old, or doesn't start
   */
  loadCards?(): readonly NativeCard[];
  /** Gives the PTX of its modules, before a card is opened. */
  setCardModules?(name: string, texts: readonly Uint8Array[]): void;
  /**
   * Opens a card to try it.
   *
   * @returns names of kinds of products
   * @throws BACKEND_UNAVAILABLE, OUT_OF_MEMORY
   */
  openCardCheck?(name: string): readonly string[];
  /**
   * Runs all kernels of a kind on the card of the last `openCardCheck`, and compares with plain loops.
   *
   * @throws BACKEND_UNAVAILABLE, OUT_OF_MEMORY, DEVICE_LOST
   */
  runCardCheck?(index: number): void;
  cardMemory?(name: string): DeviceMemory;
  /** The system's message if the shared library at `path` cannot be loaded; empty if it can. */
  explainLibrary(path: string): string;
  /** Sets a variable of the process, whose environment threads of Node.js can't change. */
  setEnvironment(name: string, value: string): void;
  /** Returns memory that the C library keeps for later allocations to the system. */
  returnFreedMemory(): void;
  /** Physical cores on macOS and Windows; empty on Linux, which lists them in files. */
  cores(): readonly { readonly efficient: boolean; readonly allowed: boolean }[];
  /**
   * Quantizes rows of `rowLength` values to ggml's `type`; throws INVALID_REQUEST if the type does not support the row
   * length.
   */
  quantize(type: string, values: Float32Array, rowLength: number): Uint8Array;
  /**
   * Multiplies `weights` (rows of `depth` values, stored as `type`) by `columns` (`depth` values each), to verify CPU
   * kernels; returns the product column by column. Undefined if the addon lacks these kernels or this processor cannot run them.
   */
  multiply(
    kernels: string,
    type: string,
    weights: Float32Array,
    depth: number,
    columns: Float32Array,
    threads: number,
  ): Float32Array | undefined;
  /**
   * Times in microseconds of products of 2,048 rows of 1,024 values and each number of columns, on one thread: in vectors and
   * in tile registers. Undefined for kernels without these.
   */
  productTimes(
    kernels: string,
    type: string,
    columns: Int32Array,
    rounds: number,
  ): { readonly vectors: Float32Array; readonly tiles: Float32Array } | undefined;
  /**
   * The least numbers of columns for which products of int8 and of int4 weights use tile registers, in this process. Any
   * limits give the same results.
   */
  setTileLimits(bytes: number, nibbles: number): void;
  /** For measurements: the last thread of all models with so many takes `factor` times as long, like a slower core. */
  slowDown(threads: number, factor: number): void;
  /**
   * The kernels for an x86 processor whose `cpuid` reports these registers, such as `7.1.eax`, and `xcr0`; empty for ggml's.
   * For tests, which need all kernels; other addons are without it.
   */
  bestKernels?(registers: Readonly<Record<string, number>>): string;
  /**
   * Name and shape, outermost dimension first, of each weight that the description of the model has. For tests; packages are
   * without it.
   */
  describedWeights?(path: string): Readonly<Record<string, readonly number[]>>;
  /**
   * Lists the device `Faulty0` of the engine `faulty`, or not; it is lost after so many steps of its models, or not if
   * negative, and computes samples beside the next step, or at once. For tests; packages are without it.
   */
  faultyDevice?(isListed: boolean, stepsBeforeLoss: number, decodesBeside: boolean): void;
  /**
   * Multiplications and additions per second that `threads` threads reach together with the integer instructions of
   * these kernels (empty for the best), in registers; undefined if this processor cannot run them. Takes about 50 ms.
   */
  integerPeak(kernels: string, threads: number): number | undefined;
  /** The best kernels for this processor, which an addon compiled for another one lacks; empty where ggml's are faster. */
  processorKernels(): string;
  /** Size in bytes and elements of a block of a ggml type. */
  typeTraits(type: string): { readonly blockBytes: number; readonly blockElements: number; readonly id: number };
}
