/** The thread that computes: takes calls one after the other and answers each. */
import { parentPort } from 'node:worker_threads';
import { toSvcError } from '../../../errors.ts';
import { createHandlers } from './handlers.ts';
import { nodePlatform } from './node-platform.ts';
import type { CallMessage, ReplyMessage } from './protocol.ts';

const handlers = createHandlers(async ({ layout, ...options }) =>
  layout === 'exported'
    ? (await import('./exported-model.ts')).openExportedModel(await nodePlatform(options))
    : (await import('./variant-c-model.ts')).openVariantC(options),
);

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
