import { expect, it } from '@jest/globals';
import { createConcurrency } from '../../../src/admission/concurrency.ts';
import { createQueue } from '../../../src/admission/queue.ts';
import type { SpeechSource } from '../../../src/engine/speech-source.ts';
import type { ServerContext } from '../../../src/server/context/context.ts';
import { withModelOf } from '../../../src/server/jobs/model-context.ts';

/** A server whose model `own` has a queue of its own. */
function serve() {
  const [shared, own] = [createQueue({ slots: 1, maxWaiting: 0 }), createQueue({ slots: 1, maxWaiting: 0 })];
  const context = {
    models: {
      resolve: (name: string) => name,
      lease: async (name: string) => ({
        name,
        engine: {} as SpeechSource,
        ...(name === 'own' && { queue: own }),
        release: () => undefined,
      }),
    },
    voicesOf: () => ({}),
    temporaryFiles: { ofRequest: () => () => Promise.reject(new Error('no file is needed')) },
    queue: shared,
    concurrency: createConcurrency(),
  } as unknown as ServerContext;
  return { context, shared, own };
}

it.each(['own', 'shared'] as const)('a request for the model %s is admitted by its queue', async (model) => {
  const { context, ...queues } = serve();
  const { signal } = new AbortController();
  let isCalled = false;
  await withModelOf(
    context,
    { model },
    { requestId: 'one', signal } as Parameters<typeof withModelOf>[2],
    async ({ queue }) => {
      isCalled = true;
      expect(queue).toBe(queues[model]);
    },
  );
  expect(isCalled).toBe(true);
});
