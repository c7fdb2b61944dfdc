/** A request that uses the engine: in the queue, cancelled when its client goes, its slot given back however it ends. */
import type { Request, Response } from 'express';
import type { Job } from '../admission/queue.ts';
import { SvcError } from '../errors.ts';
import type { ServerContext } from './context.ts';
import type { SpeechOrder } from './speech.ts';

/** Fires when the client goes before it has its answer, also when it has gone while its body was read. */
export function clientSignal(request: Request, response: Response): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort(new SvcError('CANCELLED', 'the client has gone'));
  };
  if (response.closed || request.socket.destroyed) leave();
  else response.once('close', leave);
  return gone.signal;
}

export async function withJob(
  { queue }: ServerContext,
  request: Request,
  response: Response,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  const job = await queue.enter({ name: String(request.id), signal: clientSignal(request, response) });
  try {
    response.setHeader('X-Job-Id', job.id);
    await work(job);
  } finally {
    job.release();
  }
}

/** Runs an order as a job. Silence needs no engine, so it takes no place in the queue and waits for nobody. */
export async function withOrder(
  context: ServerContext,
  order: SpeechOrder,
  request: Request,
  response: Response,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  if (!order.isSilent) return withJob(context, request, response, work);
  const gone = new AbortController();
  response.once('close', () => gone.abort(new SvcError('CANCELLED', 'the client has gone')));
  const nothing = (): void => undefined;
  await work({
    id: 0,
    signal: gone.signal,
    pause: nothing,
    resume: nothing,
    standBack: async () => undefined,
    stoodBackSeconds: () => 0,
    release: nothing,
  });
}
