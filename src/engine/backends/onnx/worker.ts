/** The thread that computes: takes calls one after the other and answers each. */
import { parentPort } from 'node:worker_threads';
import { SvcError, toSvcError } from '../../../errors.ts';
import type { OnnxModel } from './model.ts';
import type { CallMessage, Calls, ReplyMessage } from './protocol.ts';

type Handlers = {
  readonly [Name in keyof Calls]: (...args: Parameters<Calls[Name]>) => Promise<ReturnType<Calls[Name]>>;
};

let model: OnnxModel | undefined;

const loaded = (): OnnxModel => {
  if (model) return model;
  throw new SvcError('INTERNAL', 'expected a loaded model for a call, received none');
};

const handlers: Handlers = {
  async load({ layout, ...options }) {
    const open =
      layout === 'exported'
        ? (await import('./exported-model.ts')).openExportedModel
        : (await import('./variant-c-model.ts')).openVariantC;
    model = await open(options);
    return { info: model.info, metadata: model.metadata };
  },
  encode: (samples) => loaded().encode(samples),
  open: (input) => loaded().open(input),
  step: (handles, noise) => loaded().step(handles, noise),
  decode: (handles, patches) => loaded().decode(handles, patches),
  close: (handle) => loaded().close(handle),
  async dispose() {
    await model?.dispose();
    model = undefined;
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
  queue = queue.then(async () => parentPort?.postMessage(await answer(message)));
});
