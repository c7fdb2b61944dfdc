/** Runs requests as jobs of the queue: canceled when the client disconnects, released however they end. */
import type { Response } from 'express';
import { type Job, slotless } from '../../admission/queue.ts';
import { followSignal } from '../../cancellation.ts';
import { ignore, SvcError } from '../../errors.ts';
import { noSpan, withSpan } from '../../tracing/span.ts';
import { type Client, clientOf } from '../context/client.ts';
import type { ModelContext } from '../context/context.ts';

type Work = (job: Job) => Promise<void>;

interface Silence {
  readonly isSilent: boolean;
}

const sound: Silence = { isSilent: false };

/** As `withJobOf`; the answer names the job. */
export async function withJob(context: ModelContext, response: Response, work: Work, accepted = sound): Promise<void> {
  const named: Work = async (job) => {
    if (!accepted.isSilent) response.setHeader('X-Job-Id', job.id);
    await work(job);
  };
  await withJobOf(context, clientOf(response), named, accepted);
}

/**
 * Runs an accepted request as a job. Silence needs no engine and bypasses the queue.
 *
 * @throws SvcError QUEUE_FULL, BACKEND_UNAVAILABLE, CANCELLED, DEADLINE_EXCEEDED
 */
export async function withJobOf(
  { queue, hold }: ModelContext,
  { requestId: name, key, signal, deadlineSeconds, span = noSpan }: Client,
  work: Work,
  { isSilent }: Silence = sound,
): Promise<void> {
  if (isSilent) return work({ id: 0, signal, ...slotless, release: ignore });
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
