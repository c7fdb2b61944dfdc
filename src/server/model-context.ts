/** Gives a request the model that it names, which stays loaded until the request has ended. */
import type { Request, Response } from 'express';
import type { Hold } from '../admission/queue.ts';
import { readKeepAlive } from '../model-pool/keep-alive.ts';
import { type Client, clientOf } from './client.ts';
import type { ModelContext, ServerContext } from './context.ts';

/** How a request chooses its model. */
export interface ModelChoice {
  /** Name or alias; default: the first model. */
  readonly model?: string | null | undefined;
  readonly keep_alive?: string | number | null | undefined;
}

type Work = (context: ModelContext) => Promise<void>;

export const withModel = (
  context: ServerContext,
  choice: ModelChoice,
  request: Request,
  response: Response,
  work: Work,
): Promise<void> => withModelOf(context, choice, clientOf(request, response), work);

/**
 * A request for a model that is not loaded waits as part of the queue.
 *
 * @throws SvcError MODEL_NOT_FOUND, QUEUE_FULL, BACKEND_UNAVAILABLE, OUT_OF_MEMORY, CANCELLED
 */
export async function withModelOf(
  context: ServerContext,
  { model, keep_alive }: ModelChoice,
  { requestId, key, signal }: Client,
  work: Work,
): Promise<void> {
  const { models, queue } = context;
  const keepAlive = readKeepAlive(keep_alive ?? '');
  let hold: Hold | undefined;
  try {
    const lease = await models.lease(models.resolve(model), {
      keepAlive,
      async wait(load) {
        hold = queue.hold({ name: requestId, owner: key?.name, signal });
        return load(hold.signal).finally(hold.ready);
      },
    });
    try {
      const { name, engine } = lease;
      await work({ ...context, modelName: name, engine, voices: context.voicesOf(engine), hold });
    } finally {
      lease.release();
    }
  } finally {
    hold?.release();
  }
}
