/** Runs parts of the graphs of an exported ONNX model on plain arrays. */
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-common';
import type { ModelProto } from '../../../export/onnx/schema.ts';
import type { NativeTensor } from '../../../src/engine/backends/native/addon.ts';
import type { Manifest } from '../../../src/engine/backends/onnx/manifest.ts';
import { loadRuntime } from '../../../src/engine/backends/onnx/runtime.ts';
import { extract, parseModel } from './extract.ts';

export type Tensors = Readonly<Record<string, NativeTensor>>;
export type Outputs = Promise<Record<string, NativeTensor>>;
export type Feeds = Readonly<Record<string, Tensor>>;

const runtime = await loadRuntime();

/** Added to the score of a masked position. */
export const hidden = -1e30;

export const float = (data: ArrayLike<number>, ...shape: number[]): Tensor =>
  new runtime.Tensor('float32', Float32Array.from(data), shape);
export const int64 = (data: ArrayLike<number>, ...shape: number[]): Tensor =>
  new runtime.Tensor('int64', BigInt64Array.from(Array.from(data, BigInt)), shape);
export const bool = (value: number): Tensor => new runtime.Tensor('bool', Uint8Array.of(value), []);

export const native = ({ data, dims }: Tensor): NativeTensor => ({ data: data as Float32Array, shape: dims });

/** Without leading dimensions of size 1. */
export function squeezed(tensor: Tensor): NativeTensor {
  const { data, shape } = native(tensor);
  const first = shape.findIndex((length) => length !== 1);
  return { data, shape: first === -1 ? [1] : shape.slice(first) };
}

export function need(inputs: Tensors, name: string): NativeTensor {
  const found = inputs[name];
  if (!found) throw new Error(`the stage has no input ${name}, only ${Object.keys(inputs).join(', ')}`);
  return found;
}

export class ProbeFiles {
  readonly manifest: Manifest;
  readonly #directory: string;
  readonly #models = new Map<string, ModelProto>();
  readonly #sessions = new Map<string, InferenceSession>();

  constructor(directory: string, manifest: Manifest) {
    this.#directory = directory;
    this.manifest = manifest;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await session.release();
    this.#sessions.clear();
  }

  /** Runs the part of a file between feeds and outputs. */
  async run(file: string, feeds: Feeds, outputs: readonly string[]): Promise<Record<string, Tensor>> {
    const key = JSON.stringify([file, Object.keys(feeds).sort(), outputs]);
    const session = this.#sessions.get(key) ?? (await this.#open(file, Object.keys(feeds), outputs));
    this.#sessions.set(key, session);
    return await session.run(Object.fromEntries(session.inputNames.map((name) => [name, feeds[name] as Tensor])));
  }

  async model(file: string): Promise<ModelProto> {
    const model = this.#models.get(file) ?? parseModel(await readFile(join(this.#directory, file)));
    this.#models.set(file, model);
    return model;
  }

  async labels(file: string, pattern: RegExp): Promise<string[]> {
    const { graph } = await this.model(file);
    return graph?.node.flatMap(({ output }) => output).filter((name) => pattern.test(name)) ?? [];
  }

  async #open(file: string, inputs: readonly string[], outputs: readonly string[]): Promise<InferenceSession> {
    // In the folder of the weights, since graphs refer to them by relative path.
    const path = join(this.#directory, `probe-${randomBytes(6).toString('hex')}.onnx`);
    await writeFile(path, extract(await this.model(file), inputs, outputs));
    try {
      return await runtime.InferenceSession.create(path, { intraOpNumThreads: 1, logSeverityLevel: 3 });
    } finally {
      await rm(path, { force: true });
    }
  }
}
