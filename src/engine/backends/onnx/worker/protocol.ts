/** Messages between the engine's thread and the worker that computes: `run()` of onnxruntime blocks its thread. */
import type { MetadataValue, ModelInfo } from '../../../backend.ts';
import type { Handle, OnnxModelOptions, OpenInput, StepOutput } from '../model.ts';

export interface Loaded {
  readonly info: ModelInfo;
  readonly metadata: Readonly<Record<string, MetadataValue>>;
}

/** What a call in slices has come to: its result once it is through. */
export type Advance = { readonly done: false } | { readonly done: true; readonly result: Float32Array | Handle };

/** Calls by name: arguments and result. */
export interface Calls {
  load: (options: OnnxModelOptions & { readonly layout: 'exported' | 'variant-c' }) => Loaded;
  /** Begins a call in slices; the number is for `advance`. */
  encode: (samples: Float32Array) => number;
  open: (input: OpenInput) => number;
  /** Computes the next slice. */
  advance: (call: number) => Advance;
  /** Ends a call that has slices left. */
  abandon: (call: number) => void;
  step: (handles: readonly Handle[], noise: readonly Float32Array[]) => StepOutput[];
  decode: (handles: readonly Handle[], patches: readonly Float32Array[]) => Float32Array[];
  close: (handle: Handle) => void;
  dispose: () => void;
}

/** Whoever answers the calls: a worker thread, or code beside the caller's. */
export interface Remote {
  call<Name extends keyof Calls>(name: Name, ...args: Parameters<Calls[Name]>): Promise<ReturnType<Calls[Name]>>;
  /** Ends the thread; calls that wait are rejected. */
  end(): Promise<void>;
}

export interface CallMessage<Name extends keyof Calls = keyof Calls> {
  readonly id: number;
  readonly name: Name;
  readonly args: Parameters<Calls[Name]>;
}

export type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly code: string; readonly message: string } };
