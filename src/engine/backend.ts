/**
 * The interface between the autoregressive loop and a runtime: ggml through the native addon, or ONNX. The loop depends
 * on `Backend` only and imports no runtime. Runtimes implement `ModelPort`, which `HandleBackend` wraps as a `Backend`.
 *
 * Layouts: a *patch* is `patchSize × featureDim` float32 values, frames outermost. PCM is mono float32 in [-1, 1].
 */

import type { LoraWeights } from './lora/lora-weights.ts';

/** Properties of a loaded model; constant for its lifetime. */
export interface ModelInfo {
  readonly name: string;
  readonly architecture: 'voxcpm' | 'voxcpm2';
  /** Latent frames per patch. */
  readonly patchSize: number;
  /** Values per latent frame. */
  readonly featureDim: number;
  /** PCM samples decoded from one patch, at `outputSampleRate`. */
  readonly patchSamples: number;
  /** PCM samples encoded into one patch, at `inputSampleRate`. */
  readonly inputPatchSamples: number;
  readonly inputSampleRate: number;
  readonly outputSampleRate: number;
  /** Context length: the maximum number of positions, prefix and generated patches together. */
  readonly contextLength: number;
  /** Type of most weights in the file, such as `q8_0`. */
  readonly weightType: string;
  /** The compute device, by the runtime's name. */
  readonly device: string;
  /** Limits declared in the model file. */
  readonly limits: ModelLimits;
}

export interface ModelLimits {
  /** Longest text, in characters, that the model speaks well in one part. */
  readonly maxTextCharacters?: number | undefined;
  /** Supported languages, as BCP 47 tags. */
  readonly languages?: readonly string[] | undefined;
}

/** Everything before the first generated patch. */
export interface Prefix {
  /** One token id per position; 0 at audio positions. */
  readonly tokens: Int32Array;
  /** 1 for an audio patch, 0 for a token. */
  readonly audioMask: Uint8Array;
  /** The patches of the audio positions in order, `count(audioMask) × patchSize × featureDim`. */
  readonly features: Float32Array;
}

/** What a session is opened with. */
export interface SessionSettings extends Prefix {
  /** Guidance scale of classifier-free guidance. */
  readonly cfg: number;
  /** Euler steps of flow matching. */
  readonly timesteps: number;
  /** Positions of the prefix whose attention is wanted in each step (default: none). */
  readonly text?: TextPositions | undefined;
  /** The adapter that changes the model for this session (default: none). */
  readonly adapter?: AdapterUse | undefined;
}

/** Weights that `openAdapter` loaded. Sessions that use them keep them until they are closed. */
export interface Adapter {
  /** Whether they were lost with their device and must be loaded again. Default: no. */
  readonly isLost?: boolean;
  close(): Promise<void>;
}

export interface AdapterUse {
  readonly adapter: Adapter;
  /** Factor of the adapter's update; 1 as trained. */
  readonly weight: number;
}

/** A range of positions in a prefix. */
export interface TextPositions {
  readonly first: number;
  readonly count: number;
}

/** An utterance in progress. Owned by the backend that opened it; freed by `close`. */
export interface Session {
  readonly timesteps: number;
  /** Sessions of different groups can't share a batch: those of a lost device fail alone. Default: 0. */
  readonly group?: number;
  close(): Promise<void>;
}

export interface StepInput {
  readonly session: Session;
  /** Standard normal values in the layout of a patch. */
  readonly noise: Float32Array;
}

export interface Step {
  /** `patchSize × featureDim`. */
  readonly patch: Float32Array;
  /** Of the stop head for this patch: `[continue, stop]`. The loop decides whether its decision counts. */
  readonly stopLogits: Float32Array;
  /**
   * Where the base language model looked in `SessionSettings.text` for this patch: for each layer and head, the position
   * with the largest attention, counted from the first and interpolated with its neighbors. Only if the runtime reports it.
   */
  readonly attention?: Float32Array | undefined;
  /** Why this session can't continue and the values are useless, if its adapter is the reason. The others of the batch can. */
  readonly failure?: string | undefined;
  /** The base LM's hidden state after FSQ for this patch; only with `trace`, if the model exposes it. */
  readonly lmHidden?: Float32Array;
  readonly residualHidden?: Float32Array;
}

export interface DecodeInput {
  readonly session: Session;
  /** One or more whole patches. */
  readonly patches: Float32Array;
}

/** Awaited between slices of a long call, so that others can compute. A rejection ends the call. */
export type Pause = () => Promise<void>;

export interface Backend extends AsyncDisposable {
  readonly info: ModelInfo;
  /**
   * Encodes audio with the audio VAE: `samples` at `inputSampleRate`, zero-padded on the right to whole latent frames,
   * to `frames × featureDim` values. The signal is checked between slices, as in `open`.
   */
  encode(samples: Float32Array, signal?: AbortSignal, pause?: Pause): Promise<Float32Array>;
  /**
   * Opens a session and computes its prefix (prefill). The backend may leave any part of the prefix to the first step,
   * at least the last position.
   */
  open(settings: SessionSettings, signal?: AbortSignal, pause?: Pause): Promise<Session>;
  /** Computes one patch per session in one pass over the weights. All sessions of a batch have the same `timesteps`. */
  step(batch: readonly StepInput[]): Promise<Step[]>;
  /**
   * Decodes patches with the streaming audio VAE; each session carries its causal state, so nothing is decoded twice.
   */
  decode(batch: readonly DecodeInput[]): Promise<Float32Array[]>;
  /** Whether steps may be called while a decoding runs, which the device computes beside them. Default: they may not. */
  readonly decodesBeside?: boolean;
  /**
   * Loads an adapter for sessions of this model; only if the runtime supports it. Rejects with MODEL_INVALID if a target
   * or a shape does not fit.
   */
  openAdapter?(weights: LoraWeights): Promise<Adapter>;
  /** The metadata value of a key, such as the tokenizer; undefined if absent. */
  metadata(key: string): MetadataValue | undefined;
  /** What is kept of voices, if the runtime keeps anything. */
  voiceMemory?(): VoiceMemory | undefined;
  /** Totals of the stages of `open` and `step`, if the runtime measures them. */
  stageTimes?(): StageTimes | undefined;
  /** The GPUs that it computes on. */
  deviceUse?(): readonly DeviceUse[] | undefined;
  /** The most sessions whose steps its device has memory for at once. Default: any number. */
  readonly mostStreams?: number | undefined;
}

/** A GPU, as far as its driver tells. */
export interface DeviceUse {
  /** `CUDA0`, `Vulkan0`, `Metal`. */
  readonly device: string;
  /** The product, such as `NVIDIA L4`. */
  readonly description: string;
  /** Bytes of its memory, as of the last call; undefined if unknown. */
  readonly freeBytes?: number | undefined;
  readonly totalBytes?: number | undefined;
  /** Bytes per second of its memory, and operations in bfloat16 per second. */
  readonly bytesPerSecond?: number | undefined;
  readonly operationsPerSecond?: number | undefined;
  /** Seconds in which it computed steps, since the model was opened. */
  readonly stepSeconds?: number | undefined;
  /** How many more utterances of 512 positions its memory holds. */
  readonly room?: number | undefined;
}

/** Totals since the model was opened, in milliseconds. */
export interface StageTimes {
  /** Base and residual LM. */
  readonly languageModels: number;
  readonly localEncoder: number;
  readonly flow: number;
  /** How often the threads have waited for each other, in all calls of all models with as many. */
  readonly phases: number;
  /** Launches of kernels; these totals are known of our CUDA kernels only. */
  readonly launches?: number;
  /** Bytes of matrices, for each time that they are read. */
  readonly weightBytes?: number;
  /** Bytes read and written at least: weights, activations, keys and values. */
  readonly bytes?: number;
  /** Multiplications and additions in bfloat16; those of bytes count half, as cards do twice as many. */
  readonly operations?: number;
  /** Milliseconds in which the driver made kernels ready. */
  readonly compile?: number;
}

/** What is kept of voices and of the beginnings of prefixes, so that the next utterances start sooner. */
export interface VoiceMemory {
  readonly bytes: number;
  /** Positions of prefixes since the model was opened that were taken over from earlier ones. */
  readonly remembered: number;
  /** Those that were computed. */
  readonly computed: number;
}

export type MetadataValue = number | string | boolean | readonly number[] | readonly string[] | readonly boolean[];
