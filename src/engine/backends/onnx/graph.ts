/** What a model's code needs of a runtime and of the place where its files are; the same in Node and in browsers. */
import type { InferenceSession, Tensor } from 'onnxruntime-common';

export type TensorConstructor = typeof import('onnxruntime-common')['Tensor'];

export type Feeds = Readonly<Record<string, Tensor>>;

/** One graph that is ready to run. */
export interface Graph {
  readonly inputs: readonly InferenceSession.ValueMetadata[];
  readonly outputs: readonly InferenceSession.ValueMetadata[];
  /** The named outputs; all of them when no names are given. */
  run(feeds: Feeds, names?: readonly string[]): Promise<Record<string, Tensor>>;
  close(): Promise<void>;
}

/** The folder of one model, with a runtime for its graphs. */
export interface OnnxPlatform {
  /** As the runtime names it. */
  readonly device: string;
  /** What messages call the folder. */
  readonly folder: string;
  readonly Tensor: TensorConstructor;
  /** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID */
  readText(file: string): Promise<string>;
  /**
   * Checks the files before a graph is opened, where they are not checked when they are read.
   * @throws SvcError MODEL_INVALID
   */
  checkFiles?(sizes: Readonly<Record<string, { readonly bytes: number }>> | undefined): Promise<void>;
  /** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY */
  openGraph(file: string): Promise<Graph>;
}

/** A row of a batch, as a copy: what leaves the worker takes its whole buffer along. */
export const rowOf = (values: Float32Array, row: number, rows: number): Float32Array => {
  const length = values.length / rows;
  return values.slice(row * length, (row + 1) * length);
};
