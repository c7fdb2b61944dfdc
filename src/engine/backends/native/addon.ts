/**
 * The native addon, typed by hand: this file and `native/addon/` are the two sides of one contract.
 * Every promise rejects, and every function throws, with an `Error` whose `code` is an `ErrorCode`.
 */
import type { MetadataValue, StageTimes } from '../../backend.ts';
import type { ModelPort } from '../model-port.ts';

export interface NativeDevice {
  /** As ggml names it: `CPU`, `CUDA0`, `Vulkan0`, `Metal`. */
  readonly name: string;
  readonly description: string;
  readonly type: 'cpu' | 'gpu' | 'igpu' | 'accel';
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** CPU features that the chosen CPU library was built for, e.g. `AVX512_VNNI`; empty for other devices. */
  readonly features: readonly string[];
}

export interface NativeRuntime {
  readonly ggmlVersion: string;
  /** Registered backends, e.g. `CPU`, `Vulkan`. */
  readonly backends: readonly string[];
  readonly devices: readonly NativeDevice[];
}

/** A named array of float32 or int32 values, shape outermost dimension first. */
export interface NativeTensor {
  readonly data: Float32Array | Int32Array;
  readonly shape: readonly number[];
}

/** Hyper-parameters as read from the file; sizes in elements. */
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
  readonly device: string;
  /** CPU kernels in use; empty on other devices. */
  readonly kernels: string;
}

export interface NativeModel extends ModelPort {
  readonly info: NativeModelInfo;
  metadata(key: string): MetadataValue | undefined;
  /** Milliseconds since the model was opened; undefined but on CPU kernels of our own. */
  stageTimes(): StageTimes | undefined;
  /** Computes one stage on given inputs and returns its named intermediates; for verification. */
  probe(
    stage: string,
    inputs: Readonly<Record<string, NativeTensor>>,
    parameters: Readonly<Record<string, number>>,
  ): Promise<Record<string, NativeTensor>>;
}

export interface Addon {
  /** Loads ggml's libraries from the first directory and registers the backends found in all of them. Once a process. */
  load(directories: readonly string[]): NativeRuntime;
  /** `kernels`: CPU kernels by name (`avx512`, `avx2`, `neon`, `portable`, or `ggml` for ggml's own); empty for the best. */
  openModel(path: string, device: string, threads: number, kernels: string): Promise<NativeModel>;
  /** Why the shared library at `path` can't be loaded, in the system's words; empty when it can. */
  explainLibrary(path: string): string;
  /** Rows of `rowLength` float32 values as ggml's `type`; throws INVALID_REQUEST when the type can't hold that row length. */
  quantize(type: string, values: Float32Array, rowLength: number): Uint8Array;
  /**
   * Verification of CPU kernels: `weights` (rows of `depth` values) stored as `type`, times `columns` (`depth` values each);
   * the product column after column. Undefined when this processor can't run the kernels of that name.
   */
  multiply(
    kernels: string,
    type: string,
    weights: Float32Array,
    depth: number,
    columns: Float32Array,
    threads: number,
  ): Float32Array | undefined;
  /** Bytes of a block and elements of a block of a ggml type. */
  typeTraits(type: string): { readonly blockBytes: number; readonly blockElements: number; readonly id: number };
}
