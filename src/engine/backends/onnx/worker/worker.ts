/** The worker thread: opens a model, then runs its calls in order and answers each. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PlainError, plainError } from '../../../../errors.ts';
import type { ModelPort } from '../../model-port.ts';
import type { OnnxLayout } from '../layout.ts';
import type { OnnxModel, OnnxModelOptions } from '../model.ts';
import { nodePlatform } from '../node-platform.ts';
import { passGate } from './exit-gate.ts';

export interface ThreadOptions extends OnnxModelOptions {
  readonly layout: OnnxLayout;
}

/** Data passed to the new thread. */
export interface ThreadData {
  readonly gate: Int32Array;
  readonly options: ThreadOptions;
}

/** A call of the model. */
export interface Call {
  readonly id: number;
  readonly name: keyof ModelPort;
  readonly args: readonly unknown[];
}

/** The outcome of a call. Number 0 is the opening of the model; its result is the info and metadata of the model. */
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: PlainError };

const { gate, options } = workerData as ThreadData;

async function openModel({ layout, ...given }: ThreadOptions): Promise<OnnxModel> {
  if (layout !== 'exported') return (await import('../voxcpm-onnx/model.ts')).openVoxcpmOnnx(given);
  return (await import('../exported/model.ts')).openExportedModel(await nodePlatform(given));
}

let queue = Promise.resolve();

function answer(id: number, compute: () => Promise<unknown>): void {
  const reply = async (): Promise<Reply> => {
    try {
      return { id, result: await compute() };
    } catch (thrown) {
      return { id, error: plainError(thrown) };
    }
  };
  queue = queue.then(async () => parentPort?.postMessage(await passGate(gate, reply)));
}

let model: OnnxModel;

answer(0, async () => {
  model = await openModel(options);
  return { info: model.info, metadata: model.metadata };
});
parentPort?.on('message', ({ id, name, args }: Call) => answer(id, () => Reflect.apply(model[name], model, args)));
