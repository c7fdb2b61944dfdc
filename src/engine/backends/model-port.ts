/**
 * The interface that a runtime implements: calls with handles and plain data, so that a call can be a message to
 * another thread. Implemented by the native addon, the ONNX models, and the proxy of an ONNX model in a worker thread.
 * Every call may reject with an error that has a `code`.
 */

import type { Prefix, SessionSettings, Step } from '../backend.ts';

/** The number of a session, an adapter, or an encoding in progress; never reused. */
export type Handle = number;

/** `SessionSettings` as plain data. */
export interface PortSettings extends Prefix, Pick<SessionSettings, 'cfg' | 'timesteps'> {
  /** First position and number of positions of the text whose attention each step reports. */
  readonly text?: Int32Array | undefined;
  readonly adapter?: Handle | undefined;
  /** Factor of the adapter's updates (default: 1). */
  readonly weight?: number | undefined;
}

export interface ModelPort {
  /** Starts encoding a recording; `encode` computes it in slices. Must be closed. */
  openEncoding(samples: Float32Array): Promise<Handle>;
  /** Returns the next latent frames; empty at the end. */
  encode(encoding: Handle): Promise<Float32Array>;
  closeEncoding(encoding: Handle): Promise<void>;
  /** Opens a session; `prefill` computes its prefix in slices. Must be closed, even before the prefix is complete. */
  open(settings: PortSettings): Promise<Handle>;
  /** Computes the next slice; resolves to true when the session is ready to step. */
  prefill(session: Handle): Promise<boolean>;
  step(sessions: readonly Handle[], noise: readonly Float32Array[], trace: 'trace' | 'plain'): Promise<Step[]>;
  decode(sessions: readonly Handle[], patches: readonly Float32Array[]): Promise<Float32Array[]>;
  /** Frees the session. */
  closeSession(session: Handle): Promise<void>;
  close(): Promise<void>;
}

/** Answers of a model whose device may be lost. */
export interface LossPort {
  /** Sessions of different groups can't share a batch. */
  groupOf(session: Handle): number;
  /** Whether what a handle stands for was lost with its device. */
  isGone(handle: Handle): boolean;
}

/** The calls of a model that supports adapters. */
export interface AdapterPort {
  /**
   * Loads an adapter: for each target, the rank and the factors of a `LoraUpdate`. Rejects with MODEL_INVALID if they do
   * not fit the model.
   */
  openAdapter(
    targets: readonly string[],
    ranks: Int32Array,
    a: readonly Float32Array[],
    b: readonly Float32Array[],
    scale: number,
  ): Promise<Handle>;
  /** Frees the adapter once the sessions that use it are closed. */
  closeAdapter(adapter: Handle): Promise<void>;
}
