/** What the worker thread runs: one loaded ONNX model, whatever its layout. */
import type { MetadataValue, ModelInfo } from '../../backend.ts';
import type { OnnxDevice } from './runtime.ts';

export interface OnnxModelOptions {
  readonly directory: string;
  readonly device: OnnxDevice;
  readonly threads: number;
}

export interface OpenInput {
  readonly tokens: Int32Array;
  readonly audioMask: Uint8Array;
  readonly features: Float32Array;
  readonly cfg: number;
  readonly timesteps: number;
}

export interface StepOutput {
  readonly patch: Float32Array;
  readonly stop: boolean;
  /** What the patch was made from, where the model says so. */
  readonly trace?: StepTrace;
}

export interface StepTrace {
  /** `[continue, stop]`. */
  readonly stopLogits: Float32Array;
  readonly lmHidden: Float32Array;
  readonly residualHidden: Float32Array;
}

/** A session's number. */
export type Handle = number;

/** A call in slices: computes up to the next `yield`, so that others can compute meanwhile. */
export type Slices<Result> = AsyncGenerator<undefined, Result, undefined>;

export interface OnnxModel {
  readonly info: ModelInfo;
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  encode(samples: Float32Array): Slices<Float32Array>;
  open(input: OpenInput): Slices<Handle>;
  step(handles: readonly Handle[], noise: readonly Float32Array[]): Promise<StepOutput[]>;
  decode(handles: readonly Handle[], patches: readonly Float32Array[]): Promise<Float32Array[]>;
  close(handle: Handle): Promise<void>;
  dispose(): Promise<void>;
}
