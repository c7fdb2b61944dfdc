/** Runs requests as jobs of the queue: canceled when the client disconnects, released however they end. */
import type { Request, Response } from 'express';
import type { Job } from '../../admission/queue.ts';
import { followSignal } from '../../cancellation.ts';
import { SvcError } from '../../errors.ts';
import { noSpan, withSpan } from '../../tracing/span.ts';
import { type Client, clientOf } from '../context/client.ts';
import type { ModelContext } from '../context/context.ts';

type Work = (job: Job) => Promise<void>;

/** The part of an accepted request that is needed here. */
interface Silence {
  /** Whether nothing but pauses is to be spoken. */
  readonly isSilent: boolean;
}

export async function withJob(context: ModelContext, request: Request, response: Response, work: Work): Promise<void> {
  await withJobOf(context, clientOf(request, response), async (job) => {
    response.setHeader('X-Job-Id', job.id);
    await work(job);
  });
}

/** @throws SvcError QUEUE_FULL, BACKEND_UNAVAILABLE, CANCELLED, DEADLINE_EXCEEDED */
export async function withJobOf(
  { queue, hold }: ModelContext,
  { requestId: name, key, signal, deadlineSeconds, span = noSpan }: Client,
  work: Work,
): Promise<void> {
  const share = { owner: key?.name, weight: key?.weight ?? 1 };
  const deadline = createDeadline(deadlineSeconds, signal);
  const admitted = hold();
  admitted?.ready();
  try {
    const job = await withSpan(span.child('queue'), () =>
      queue.enter({ name, ...share, signal: deadline.signal, hold: admitted }),
    );
    try {
      await span.run(() => work({ ...job, share, begun: deadline.meet }));
    } finally {
      job.release();
    }
  } finally {
    deadline.meet();
    deadline.detach();
  }
}

/** Ends a request, usually in the queue, unless its speech begins in time. */
function createDeadline(seconds: number | undefined, outer: AbortSignal) {
  const { signal, end, detach } = followSignal(outer);
  const missed = (): void =>
    end(new SvcError('DEADLINE_EXCEEDED', `the speech could not begin within ${seconds} s; retry later`));
  const timer = seconds === undefined ? undefined : setTimeout(missed, seconds * 1000);
  return { signal, detach, meet: () => clearTimeout(timer) };
}

/** Runs an accepted request as a job. Silence needs no engine and bypasses the queue. */
export const withJobFor = (
  context: ModelContext,
  { isSilent }: Silence,
  request: Request,
  response: Response,
  work: Work,
): Promise<void> =>
  isSilent ? work(withoutSlot(clientOf(request, response))) : withJob(context, request, response, work);

export const withJobForClient = (
  context: ModelContext,
  { isSilent }: Silence,
  client: Client,
  work: Work,
): Promise<void> => (isSilent ? work(withoutSlot(client)) : withJobOf(context, client, work));

function withoutSlot({ signal }: Client): Job {
  const nothing = (): void => undefined;
  return {
    id: 0,
    signal,
    pause: nothing,
    resume: nothing,
    yieldToWaiting: async () => undefined,
    hasNewcomers: () => false,
    releaseSlotUntil: async (wake) => void (await wake),
    yieldedSeconds: () => 0,
    release: nothing,
  };
}
