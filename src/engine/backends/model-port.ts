/**
 * What a runtime implements: a model as calls with numbers and plain data, so that a call can be a message to another
 * thread. The native addon has this form, the ONNX models have it, and so has an ONNX model in a thread of its own. Every
 * call may reject with an error that has a `code`.
 */

/** The number of a session, or of a recording that is being encoded; never used twice. */
export type Handle = number;

export interface StepOutput {
  readonly patch: Float32Array;
  /** `[continue, stop]`. */
  readonly stopLogits: Float32Array;
  /** Only with `trace`, where the model's files tell. The base LM's hidden state after FSQ that this patch was made from. */
  readonly lmHidden?: Float32Array;
  readonly residualHidden?: Float32Array;
}

export interface ModelPort {
  /** Begins to encode a recording, which `encode` then does slice by slice. Close it. */
  openEncoding(samples: Float32Array): Promise<Handle>;
  /** The next latent frames; empty at the end. */
  encode(encoding: Handle): Promise<Float32Array>;
  closeEncoding(encoding: Handle): Promise<void>;
  /** Begins a session, whose prefix `prefill` then computes slice by slice. Close it, also before that is done. */
  open(
    tokens: Int32Array,
    audioMask: Uint8Array,
    features: Float32Array,
    cfg: number,
    timesteps: number,
  ): Promise<Handle>;
  /** Computes the next slice; whether the session can step. */
  prefill(session: Handle): Promise<boolean>;
  step(sessions: readonly Handle[], noise: readonly Float32Array[], trace: 'trace' | 'plain'): Promise<StepOutput[]>;
  decode(sessions: readonly Handle[], patches: readonly Float32Array[]): Promise<Float32Array[]>;
  /** Frees all that the session owns. */
  closeSession(session: Handle): Promise<void>;
  close(): Promise<void>;
}
