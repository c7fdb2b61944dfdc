/** Gives a request the model that it names, which stays loaded until the request has ended. */
import type { Request, Response } from 'express';
import type { Hold } from '../admission/queue.ts';
import { readKeepAlive } from '../model-pool/keep-alive.ts';
import type { ModelContext, ServerContext } from './context.ts';
import { clientSignal } from './jobs.ts';
import { keyOf } from './middleware/authorize.ts';

/** How a request chooses its model. */
export interface ModelChoice {
  /** Name or alias; default: the first model. */
  readonly model?: string | null | undefined;
  readonly keep_alive?: string | number | null | undefined;
}

/**
 * A request for a model that is not loaded waits as part of the queue. It counts for its API key from here on.
 *
 * @throws SvcError MODEL_NOT_FOUND, RATE_LIMITED, QUEUE_FULL, BACKEND_UNAVAILABLE, OUT_OF_MEMORY, CANCELLED
 */
export async function withModel(
  context: ServerContext,
  { model, keep_alive }: ModelChoice,
  request: Request,
  response: Response,
  work: (context: ModelContext) => Promise<void>,
): Promise<void> {
  const { models, queue, concurrency } = context;
  const keepAlive = readKeepAlive(keep_alive ?? '');
  const name = models.resolve(model);
  const { name: owner, concurrencyLimit = Number.POSITIVE_INFINITY } = keyOf(response) ?? {};
  const leave = owner === undefined ? undefined : concurrency.enter(owner, concurrencyLimit);
  let hold: Hold | undefined;
  try {
    const lease = await models.lease(name, {
      keepAlive,
      async wait(load) {
        hold = queue.hold({ name: String(request.id), owner, signal: clientSignal(request, response) });
        return load(hold.signal).finally(hold.ready);
      },
    });
    try {
      const { engine } = lease;
      await work({ ...context, modelName: lease.name, engine, voices: context.voicesOf(engine), hold });
    } finally {
      lease.release();
    }
  } finally {
    hold?.release();
    leave?.();
  }
}
