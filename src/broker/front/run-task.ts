/** Runs one task for the front end: submits it, reads its answer as it is generated, removes its data at the end. */
import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { FairShare } from '../../admission/step-turns.ts';
import { followSignal, throwIfCanceled } from '../../cancellation.ts';
import type { LiveSegment } from '../../engine/live/live-text.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { floatsOf } from '../../float-arrays.ts';
import { currentSpan } from '../../tracing/span.ts';
import { brokerUnreachable, persist } from '../shared/connection.ts';
import { protocolVersion } from '../shared/keys.ts';
import { createTextSender } from '../shared/live-text.ts';
import { type Packed, pack } from '../shared/packing.ts';
import {
  continuePiece,
  leaseMilliseconds,
  type Priority,
  parseDetails,
  parseEntryId,
  parseOutcome,
  type TaskData,
  type TaskKind,
  type TaskPiece,
  takenBy,
} from '../shared/task.ts';
import { mostEntries } from './answer-reader.ts';
import type { BrokerClient } from './broker-client.ts';

export interface TaskOrder {
  readonly kind: TaskKind;
  readonly request: object;
  readonly timestamps: TaskData['timestamps'];
  readonly mayRetract: boolean;
  readonly priority: Priority;
  readonly share: FairShare;
  /** Pieces of a live text, which the request lacks. */
  readonly pieces?: ((signal: AbortSignal) => AsyncIterable<LiveSegment>) | undefined;
  /** Identity of the required model. */
  readonly model: string;
  /** Throws when no worker can answer. */
  readonly assertServed: () => void;
}

/** Renewals that may miss the task before it is submitted again: its job may be moving between lists. */
const mostMissed = 2;
/** Resubmissions of a lost or dropped task without any new audio. */
const mostLosses = 3;
/** How often an answer is read without a message, which may be lost, in milliseconds. */
const silenceMilliseconds = 5_000;

/**
 * Yields the pieces of the answer in order, none twice. Nothing is sent before the first pull. Returning early frees the
 * worker within a step.
 *
 * @throws SvcError what the worker reports; BACKEND_UNAVAILABLE when the broker or all workers are gone; CANCELLED
 */
export async function* runTask(
  client: BrokerClient,
  order: TaskOrder,
  signal: AbortSignal,
): AsyncGenerator<TaskPiece, void, undefined> {
  const { keys } = client;
  const task = randomUUID();
  let last = '0-1';
  let submissions = 1;
  /** Resubmissions since the last audio. */
  let losses = 0;
  const jobId = (): string => `${task}-${submissions}`;
  const text = textKind(order);
  const lifetime = followSignal(signal);
  const sender = order.pieces && createTextSender(client, task, order.pieces(lifetime.signal));
  const packed = pack(order.request);
  const others = [...(packed.floats.length > 0 ? [keys.input(task)] : []), ...(sender ? [keys.text(task)] : [])];
  const watch = client.watch(task, () => keys.job(jobId(), text), others);
  let failure: { readonly error: unknown } | undefined;
  const span = currentSpan().child('broker.task', { kind: 'producer', attributes: { 'svc.task.kind': order.kind } });
  const { traceparent } = span;
  let thrown: unknown;

  try {
    await submit(client, order, packed, { task, jobId: jobId(), position: 0, traceparent });
    sender?.send().catch((error: unknown) => {
      failure = { error };
      watch.wake();
    });
    for (;;) {
      if (failure !== undefined) throw failure.error;
      const entries = await persist(() => client.answers.read(task, last), signal);
      for (const { id, fields } of entries) {
        throwIfCanceled(signal);
        const { isOutcome, position } = parseEntryId(id);
        if (isOutcome) {
          const { warnings, result: details } = outcomeOf(fields);
          if (warnings.length > 0 || details !== undefined) {
            yield { ...noAudio, start: parseEntryId(last).position, warnings, ...(details && { details }) };
          }
          return;
        }
        const piece = toPiece(fields, position);
        // A broker that lost the latest audio may get it again in other pieces.
        const unread = continuePiece(piece, parseEntryId(last).position);
        last = id;
        sender?.taken(takenBy(piece));
        if (unread !== undefined) yield unread;
      }
      if (entries.length > 0) losses = 0;
      else if (watch.missed > mostMissed) {
        losses += 1;
        watch.forget();
        if (losses > mostLosses) throw lost();
        submissions += 1;
        await sender?.restore();
        // Continue the answer after the last piece read.
        const { position } = parseEntryId(last);
        const again = { task, jobId: jobId(), position, traceparent };
        await persist(() => submit(client, order, packed, again), signal);
      }
      if (entries.length === mostEntries) continue;
      const readAt = performance.now();
      while ((await watch.news(signal)) === 'renewed') {
        order.assertServed();
        if (watch.missed > mostMissed || performance.now() - readAt > silenceMilliseconds) break;
      }
    }
  } catch (error) {
    thrown = error;
    throw error;
  } finally {
    span.set({ 'svc.task.submissions': submissions });
    span.end(thrown);
    watch.stop();
    lifetime.end();
    lifetime.detach();
    sender?.stop();
    await discard(client, task, client.queues[text], jobId());
  }
}

const textKind = ({ pieces }: TaskOrder): TaskData['text'] => (pieces === undefined ? 'whole' : 'live');

interface Submission extends Pick<TaskData, 'task' | 'traceparent'> {
  readonly jobId: string;
  /** Where the answer should continue. */
  readonly position: number;
}

async function submit(
  client: BrokerClient,
  order: TaskOrder,
  { json, floats }: Packed,
  { task, jobId, position, traceparent }: Submission,
): Promise<void> {
  const { keys, redis, queues, channel } = client;
  const text = textKind(order);
  const { pieces: _, assertServed: _a, ...stated } = order;
  const { kind, share, priority } = order;
  const about = {
    version: protocolVersion,
    task,
    text,
    news: channel,
    ...(traceparent !== undefined && { traceparent }),
  } as const;
  try {
    const [place] = await Promise.all([
      client.enqueuePriority({ ...share, priority }, text),
      client.answers.open(task, position),
      ...(floats.length > 0 ? [redis.set(keys.input(task), floats, 'PX', leaseMilliseconds)] : []),
    ]);
    const options = { jobId, priority: place, removeOnComplete: true, removeOnFail: true };
    await queues[text].add(kind, { ...stated, ...about, request: json }, options);
  } catch (thrown) {
    throw brokerUnreachable(thrown);
  }
}

/** Never rejects: the lease removes what can't be removed now. */
async function discard({ keys, redis }: BrokerClient, task: string, queue: Queue, jobId: string): Promise<void> {
  try {
    // The stream first: a worker on the task notices that it is gone.
    await redis.del(keys.audio(task), keys.end(task), keys.input(task), keys.text(task));
    await queue.remove(jobId);
  } catch {
    // A worker that takes the job finds no stream.
  }
}

const nothing = Buffer.alloc(0);
const noAudio = { samples: new Float32Array(0), details: {} };

function toPiece(fields: ReadonlyMap<string, Buffer>, end: number): TaskPiece {
  const samples = floatsOf(fields.get('samples') ?? nothing);
  return { start: end - samples.length, samples, ...parseDetails(fields.get('details')?.toString() ?? '{}') };
}

/** Warnings and details that came without audio. @throws SvcError as the worker reports */
function outcomeOf(fields: ReadonlyMap<string, Buffer>) {
  const outcome = parseOutcome(fields.get('outcome')?.toString() ?? '{}');
  if (outcome.kind === 'done') return outcome;
  throw toSvcError({ code: outcome.code, message: outcome.message });
}

const lost = (): SvcError => new SvcError('BACKEND_UNAVAILABLE', 'the broker lost the request; please retry');
