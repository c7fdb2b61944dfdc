/**
 * The seam between the one autoregressive loop and a runtime (ggml through the native addon, ONNX).
 * The loop knows `Backend` and nothing else; the core imports no runtime. Runtimes implement `ModelPort`, which
 * `HandleBackend` turns into a `Backend`.
 *
 * Layouts: a *patch* is `patchSize × featureDim` float32 values, latent frame after latent frame.
 * PCM is mono float32 in [-1, 1].
 */

/** What a loaded model is; fixed for its lifetime. */
export interface ModelInfo {
  readonly name: string;
  readonly architecture: 'voxcpm' | 'voxcpm2';
  /** Latent frames of one patch. */
  readonly patchSize: number;
  /** Values of one latent frame. */
  readonly featureDim: number;
  /** PCM samples that one patch decodes to, at `outputSampleRate`. */
  readonly patchSamples: number;
  /** PCM samples that one patch is encoded from, at `inputSampleRate`. */
  readonly inputPatchSamples: number;
  readonly inputSampleRate: number;
  readonly outputSampleRate: number;
  /** Positions (prefix and generated patches) that the model was configured for. */
  readonly maxLength: number;
  /** Type of most weights as the file stores them, e.g. `q8_0`. */
  readonly weightType: string;
  /** Device that computes, as the runtime names it. */
  readonly device: string;
  /** What the model needs its callers to know. */
  readonly limits: ModelLimits;
}

export interface ModelLimits {
  /** Longest text that the model speaks well in one part, in characters. */
  readonly maxTextCharacters?: number | undefined;
  /** The model has one voice; prompts and references are ignored. */
  readonly fixedVoice?: boolean | undefined;
  /** Languages that the model speaks, as BCP 47 tags. */
  readonly languages?: readonly string[] | undefined;
}

/** Everything before the first generated patch. */
export interface Prefix {
  /** One id a position; 0 at audio positions. */
  readonly tokens: Int32Array;
  /** 1 where a position is an audio patch, 0 where it is a token. */
  readonly audioMask: Uint8Array;
  /** The patches of the audio positions in order, `count(audioMask) × patchSize × featureDim`. */
  readonly features: Float32Array;
}

export interface SessionOptions {
  /** Guidance value of classifier-free guidance. */
  readonly cfg: number;
  /** Euler steps of flow matching. */
  readonly timesteps: number;
}

/** One utterance in flight. Owned by the backend that opened it; freed by `close`. */
export interface Session {
  readonly timesteps: number;
  close(): Promise<void>;
}

export interface StepInput {
  readonly session: Session;
  /** Standard normal, `patchSize × featureDim` in the layout of a patch. */
  readonly noise: Float32Array;
}

export interface Step {
  /** `patchSize × featureDim`. */
  readonly patch: Float32Array;
  /** The stop head's decision for this patch; the loop decides whether it counts yet. */
  readonly stop: boolean;
}

export interface DecodeInput {
  readonly session: Session;
  /** One or more whole patches. */
  readonly patches: Float32Array;
}

/** Awaited between two slices of a call that takes seconds: others compute meanwhile. Its rejection ends the call. */
export type Pause = () => Promise<void>;

export interface Backend extends AsyncDisposable {
  readonly info: ModelInfo;
  /**
   * Audio VAE encoder. `samples` at `inputSampleRate`, zero-padded on the right to whole latent frames;
   * `frames × featureDim`. The signal is honoured between slices, here and in `open`.
   */
  encode(samples: Float32Array, signal?: AbortSignal, pause?: Pause): Promise<Float32Array>;
  /**
   * Prefill. How much of the prefix is left to the session's first step is the backend's choice: the last position at
   * least.
   */
  open(prefix: Prefix, options: SessionOptions, signal?: AbortSignal, pause?: Pause): Promise<Session>;
  /** One patch for each session, in one pass over the weights. All sessions of a batch have the same `timesteps`. */
  step(batch: readonly StepInput[]): Promise<Step[]>;
  /** Streaming audio VAE decoder; each session carries its causal state, so nothing is decoded twice. */
  decode(batch: readonly DecodeInput[]): Promise<Float32Array[]>;
  /** Value stored with the model under a metadata key, such as the tokenizer; undefined when absent. */
  metadata(key: string): MetadataValue | undefined;
  /** What stages of `open` and `step` took so far, where the runtime can tell. */
  stageTimes?(): StageTimes | undefined;
}

/** Milliseconds since the model was opened. */
export interface StageTimes {
  /** Base and residual LM. */
  readonly languageModels: number;
  readonly localEncoder: number;
  readonly flow: number;
}

export type MetadataValue = number | string | boolean | readonly number[] | readonly string[] | readonly boolean[];
