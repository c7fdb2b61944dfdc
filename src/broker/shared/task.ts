/**
 * Messages between front ends and workers: a task is one BullMQ job and one audio stream. The other side may run another
 * version of svc, so everything received is parsed.
 */
import { z } from 'zod';
import type { TaskPriority } from '../../admission/step-turns.ts';
import { problems } from '../../engine/bad-case.ts';
import type { SpeechEvent } from '../../engine/speech-event.ts';
import { timingMethods } from '../../engine/timing/timed-text.ts';
import { SvcError } from '../../errors.ts';
import type { SpokenFile } from '../../speech-files/speech-file.ts';
import { protocolVersion } from './keys.ts';

/** Fields of every version: enough to answer with an error. */
const taskAddress = z.object({
  task: z.string(),
  /** The front end's channel for new audio. */
  news: z.string(),
});

const taskData = taskAddress.extend({
  version: z.literal(protocolVersion),
  kind: z.enum(['speech', 'encode', 'file']),
  /** JSON of the packed request; its float values have a key of their own. */
  request: z.string(),
  /** Identity of the front end's model. */
  model: z.string(),
  /** `live`: the text comes in pieces while it is written. */
  text: z.enum(['whole', 'live']),
  /** Whether the answer includes the times of its sentences and words. */
  timestamps: z.enum(['none', 'words']),
  /** Whether parts are sent when they are finished, as a bad attempt may be retracted. */
  mayRetract: z.boolean(),
  /** A worker takes tasks of a later class only while none of an earlier one waits. */
  priority: z.enum(['interactive', 'batch']).default('interactive'),
  /** Owner, for fair scheduling. */
  share: z.object({ owner: z.string().optional(), weight: z.number() }).default({ weight: 1 }),
  /** Names the front end's span, if it traces the request. */
  traceparent: z.string().optional(),
});

export type TaskAddress = Readonly<z.output<typeof taskAddress>>;
/** Data of the BullMQ job. */
export type TaskData = Readonly<z.output<typeof taskData>>;
export type TaskKind = TaskData['kind'];
export type Priority = TaskData['priority'];

/** @throws SvcError INTERNAL when it is not a task of any version */
export const parseTaskAddress = (data: unknown): TaskAddress => parsed(taskAddress, data, 'INTERNAL');

/** @throws SvcError BACKEND_UNAVAILABLE when it comes from another version of svc */
export const parseTask = (data: unknown): TaskData => parsed(taskData, data, 'BACKEND_UNAVAILABLE');

/** The claim of a task on the workers; undefined for a task of another version, which only gets an error. */
export function readTaskPriority(data: unknown): TaskPriority | undefined {
  const task = taskData.safeParse(data).data;
  return task && { owner: task.share.owner, weight: task.share.weight, priority: task.priority };
}

/** A piece of an answer: PCM samples of `speech`, patches of `encode`, nothing but details of `file`. */
export interface TaskPiece {
  /** Offset in values from the start of the answer. */
  readonly start: number;
  readonly samples: Float32Array;
  /** Other fields, serializable as JSON. */
  readonly details: object;
  /** Warnings since the previous piece. */
  readonly warnings: readonly string[];
}

/**
 * The part of a piece after `position`; undefined when there is none. An answer so continues on another worker, which may cut
 * the audio at other places.
 *
 * @throws RangeError when values between `position` and the piece are missing
 */
export function continuePiece(piece: TaskPiece, position: number): TaskPiece | undefined {
  const skipped = position - piece.start;
  if (skipped < 0)
    throw new RangeError(`the answer has a gap: it ends at ${position}, the piece begins at ${piece.start}`);
  if (skipped === 0) return piece;
  if (skipped >= piece.samples.length) return undefined;
  return { ...piece, start: position, samples: piece.samples.slice(skipped) };
}

/** Id of the stream entry that ends at `end`. */
export const pieceId = (end: number): string => `${end}-1`;

export function parseEntryId(id: string) {
  const [position, kind] = id.split('-').map(Number);
  return { position: position ?? 0, isOutcome: kind === 2 };
}

const pieceDetails = z.looseObject({ warnings: z.array(z.string()).readonly().default([]) });

export const parseDetails = (json: string): Pick<TaskPiece, 'details' | 'warnings'> => {
  const { warnings, ...details } = parsed(pieceDetails, JSON.parse(json), 'BACKEND_UNAVAILABLE');
  return { details, warnings };
};

const timedText = { text: z.string(), start: z.number(), end: z.number() };

const timedSentence = z.object({
  ...timedText,
  words: z.array(z.object(timedText)).readonly(),
  method: z.enum(timingMethods),
  voice: z.string().optional(),
});

const end = z.enum(['stop', 'limit']);

/** Number of pieces of a live text that the worker has taken. */
const takenDetails = z.object({ taken: z.int().default(0) });

export const takenBy = ({ details }: TaskPiece): number => parsed(takenDetails, details, 'BACKEND_UNAVAILABLE').taken;

const attempt = z.object({
  part: z.int(),
  seed: z.int(),
  problem: z.enum(problems).optional(),
  transcript: z.string().optional(),
  wordErrorRate: z.number().optional(),
  failure: z.string().optional(),
});

/** Details of the pieces of `speech`. */
const eventDetails = z.object({
  part: z.int(),
  text: z.string().optional(),
  patches: z.int(),
  sentences: z.array(timedSentence).readonly().optional(),
  end: end.optional(),
  seed: z.int().optional(),
  attempts: z.array(attempt).readonly().optional(),
  isLast: z.literal(true).optional(),
});

export const toEvent = ({ samples, details, warnings }: TaskPiece): SpeechEvent => ({
  ...parsed(eventDetails, details, 'BACKEND_UNAVAILABLE'),
  samples,
  warnings,
});

/** How a task ended. */
const taskOutcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('done'),
    warnings: z.array(z.string()).readonly().default([]),
    /** Result of a task without audio. */
    result: z.looseObject({}).optional(),
  }),
  z.object({ kind: z.literal('failed'), code: z.string(), message: z.string() }),
]);
export type TaskOutcome = Readonly<z.input<typeof taskOutcome>>;

/** Result of `file`, which the worker writes itself. */
const spokenFile = z.object({
  samples: z.int(),
  sampleRate: z.int(),
  patches: z.int(),
  seed: z.int(),
  end: end.optional(),
  parts: z.int(),
  tries: z.array(attempt).readonly(),
  warnings: z.array(z.string()).readonly(),
  bytes: z.int(),
});

export const toSpokenFile = (details: object): SpokenFile => {
  const { end, ...spoken } = parsed(spokenFile, details, 'BACKEND_UNAVAILABLE');
  return { ...spoken, end };
};

export const parseOutcome = (json: string): z.output<typeof taskOutcome> =>
  parsed(taskOutcome, JSON.parse(json), 'BACKEND_UNAVAILABLE');

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: 'INTERNAL' | 'BACKEND_UNAVAILABLE',
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new SvcError(code, 'front end and worker run different versions of svc; run the same version on all machines', {
    cause: result.error,
  });
}

/** Limit on unread pieces, so that a listener that doesn't read can't fill the broker. */
export function mostUnread({ kind, mayRetract }: Pick<TaskData, 'kind' | 'mayRetract'>): number {
  if (kind !== 'speech') return 1;
  return mayRetract ? 2 : 6;
}

/** Lease of a front end on its tasks and requests, and the interval of its renewal, in milliseconds. */
export const leaseMilliseconds = 10_000;
export const renewMilliseconds = 1_000;

/** How long a worker counts as alive after a heartbeat, and the interval of heartbeats, in milliseconds. */
export const aliveMilliseconds = 5_000;
export const heartbeatMilliseconds = 1_000;

/** Lifetime of a worker's lock on a task, and the interval of checks for stalled tasks, in milliseconds. */
export const lockMilliseconds = 3_000;
export const stallCheckMilliseconds = 500;
/** Worker deaths after which a task may still be retried. */
export const mostCrashes = 5;
