/** The thread that computes: takes calls one after the other and answers each. */
import { parentPort, workerData } from 'node:worker_threads';
import { SvcError, toSvcError } from '../../../../errors.ts';
import type { OnnxModel } from '../model.ts';
import { nodePlatform } from '../node-platform.ts';
import { passGate } from './exit-gate.ts';
import { type Handlers, modelHandlers } from './handlers.ts';
import type { CallMessage, ReplyMessage } from './protocol.ts';

let model: OnnxModel | undefined;

const loaded = (): OnnxModel => {
  if (model) return model;
  throw new SvcError('INTERNAL', 'expected a loaded model for a call, received none');
};

const handlers: Handlers = {
  ...modelHandlers(loaded),
  async load({ layout, ...options }) {
    model = await (layout === 'exported'
      ? (await import('../exported/model.ts')).openExportedModel(await nodePlatform(options))
      : (await import('../voxcpm-onnx/model.ts')).openVariantC(options));
    return { info: model.info, metadata: model.metadata };
  },
};

async function answer({ id, name, args }: CallMessage): Promise<ReplyMessage> {
  try {
    const handler = handlers[name] as (...given: unknown[]) => Promise<unknown>;
    return { id, result: await handler(...args) };
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    return { id, error: { code, message } };
  }
}

let queue = Promise.resolve();

parentPort?.on('message', (message: CallMessage) => {
  queue = queue.then(async () =>
    parentPort?.postMessage(await passGate(workerData as Int32Array, () => answer(message))),
  );
});
