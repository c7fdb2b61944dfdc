/** Leases a model for the duration of a request. */
import type { Response } from 'express';
import type { Hold } from '../../admission/queue.ts';
import type { AdapterPin } from '../../engine/lora/adapter-catalog.ts';
import { readKeepAlive } from '../../model-pool/keep-alive.ts';
import { type Client, clientOf } from '../context/client.ts';
import type { ModelContext, ServerContext } from '../context/context.ts';

export interface ModelChoice {
  /** Name or alias; default: the first model. */
  readonly model?: string | null | undefined;
  readonly keep_alive?: string | number | null | undefined;
}

type Work = (context: ModelContext) => Promise<void>;

export const withModel = (context: ServerContext, choice: ModelChoice, response: Response, work: Work): Promise<void> =>
  withModelOf(context, choice, clientOf(response), work);

/**
 * A request for a model that is not loaded waits as part of the queue. It counts for its API key from here on.
 *
 * @throws SvcError MODEL_NOT_FOUND, RATE_LIMITED, QUEUE_FULL, BACKEND_UNAVAILABLE, OUT_OF_MEMORY, CANCELLED
 */
export async function withModelOf(
  context: ServerContext,
  { model, keep_alive }: ModelChoice,
  { requestId, key, signal, openTemporaryFile }: Client,
  work: Work,
): Promise<void> {
  const { models, loras, queue, concurrency, temporaryFiles } = context;
  const keepAlive = readKeepAlive(keep_alive ?? '');
  const name = models.resolve(model);
  const { name: owner, concurrencyLimit = Number.POSITIVE_INFINITY } = key ?? {};
  const leave = owner === undefined ? undefined : concurrency.enter(owner, concurrencyLimit);
  let hold: Hold | undefined;
  const pins: (AdapterPin | undefined)[] = [];
  const pinAdapter = (lora: string) => {
    const pin = loras.pin(lora);
    pins.push(pin);
    return pin?.adapter;
  };
  const enter = (): Hold => {
    hold ??= queue.hold({ name: requestId, owner, signal });
    return hold;
  };
  try {
    const lease = await models.lease(name, {
      keepAlive,
      async wait(load) {
        const { signal, ready } = enter();
        return load(signal).finally(ready);
      },
    });
    try {
      const { engine, queue = context.queue } = lease;
      const voices = context.voicesOf(engine);
      await work({
        ...context,
        modelName: lease.name,
        signal,
        engine,
        queue,
        voices,
        openTemporaryFile: openTemporaryFile ?? temporaryFiles.ofRequest(owner),
        pinAdapter,
        hold: () => hold,
        admit: () => enter().signal,
      });
    } finally {
      for (const pin of pins) pin?.release();
      lease.release();
    }
  } finally {
    hold?.release();
    leave?.();
  }
}
