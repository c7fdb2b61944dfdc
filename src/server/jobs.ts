/** Runs requests as jobs of the queue: canceled when the client disconnects, released however they end. */
import type { Request, Response } from 'express';
import type { Job } from '../admission/queue.ts';
import { SvcError } from '../errors.ts';
import type { ModelContext } from './context.ts';
import { keyOf } from './middleware/authorize.ts';
import type { SpeechOrder } from './speech.ts';

/** Aborted when the client disconnects before the end of its answer, even while its body is read. */
export function clientSignal(request: Request, response: Response): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort(new SvcError('CANCELLED', 'the client disconnected'));
  };
  if (response.closed || request.socket.destroyed) leave();
  else response.once('close', leave);
  return gone.signal;
}

export async function withJob(
  { queue, hold }: ModelContext,
  request: Request,
  response: Response,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  const owner = keyOf(response)?.name;
  const job = await queue.enter({ name: String(request.id), owner, signal: clientSignal(request, response), hold });
  try {
    response.setHeader('X-Job-Id', job.id);
    await work(job);
  } finally {
    job.release();
  }
}

/** Runs an order as a job. Silence needs no engine and bypasses the queue. */
export async function withOrder(
  context: ModelContext,
  order: SpeechOrder,
  request: Request,
  response: Response,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  if (!order.isSilent) return withJob(context, request, response, work);
  const gone = new AbortController();
  response.once('close', () => gone.abort(new SvcError('CANCELLED', 'the client disconnected')));
  const nothing = (): void => undefined;
  await work({
    id: 0,
    signal: gone.signal,
    pause: nothing,
    resume: nothing,
    yieldSlot: async () => undefined,
    yieldedSeconds: () => 0,
    release: nothing,
  });
}
