/** The runtime and file access that ONNX models need, implemented for Node.js and browsers. */
import type { InferenceSession, Tensor } from 'onnxruntime-common';

export type TensorConstructor = typeof import('onnxruntime-common')['Tensor'];

export type Feeds = Readonly<Record<string, Tensor>>;

/** A graph, ready to run. */
export interface Graph {
  readonly inputs: readonly InferenceSession.ValueMetadata[];
  readonly outputs: readonly InferenceSession.ValueMetadata[];
  /** Computes the named outputs. Default: all outputs. */
  run(feeds: Feeds, names?: readonly string[]): Promise<Record<string, Tensor>>;
  close(): Promise<void>;
}

/** Access to the folder of one model and a runtime for its graphs. */
export interface OnnxPlatform {
  /** The runtime's name of the device. */
  readonly device: string;
  /** Name of the folder in messages. */
  readonly folder: string;
  readonly Tensor: TensorConstructor;
  /** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID */
  readText(file: string): Promise<string>;
  /**
   * Checks the files before a graph is opened, if reading them does not.
   *
   * @throws SvcError MODEL_INVALID
   */
  checkFiles?(sizes: Readonly<Record<string, { readonly bytes: number }>> | undefined): Promise<void>;
  /** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY */
  openGraph(file: string): Promise<Graph>;
}

/** Copies a row of a batch: a message from the worker would transfer the whole buffer of a view. */
export const rowOf = (values: Float32Array, row: number, rows: number): Float32Array => {
  const length = values.length / rows;
  return values.slice(row * length, (row + 1) * length);
};
