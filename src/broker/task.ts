/**
 * What a front end asks of a worker, and what it gets: one task is one BullMQ job and one stream of audio. Both may run
 * other versions of svc than this one, so what comes is parsed.
 */
import { z } from 'zod';
import { SvcError } from '../errors.ts';

/** Counted on with each change that the other side would not understand. */
export const protocolVersion = 1;

const taskKinds = ['stream', 'parts', 'encode'] as const;
export type TaskKind = (typeof taskKinds)[number];

/** Who asks, in any version: enough for an answer. */
const taskAddress = z.object({
  task: z.string(),
  /** Channel on which the front end hears of new audio. */
  news: z.string(),
});

const taskData = taskAddress.extend({
  version: z.literal(protocolVersion),
  kind: z.enum(taskKinds),
  /** JSON of the packed request; its numbers are under a key of their own. */
  request: z.string(),
  /** Of the model that the front end knows. */
  model: z.string(),
});

export type TaskAddress = Readonly<z.output<typeof taskAddress>>;
/** Data of the BullMQ job. */
export type TaskData = Readonly<z.output<typeof taskData>>;

/** @throws SvcError INTERNAL when it is no task of any version */
export const parseTaskAddress = (data: unknown): TaskAddress => parsed(taskAddress, data, 'INTERNAL');

/** @throws SvcError BACKEND_UNAVAILABLE when it comes from another version of svc */
export const parseTask = (data: unknown): TaskData => parsed(taskData, data, 'BACKEND_UNAVAILABLE');

/** A piece of the answer: PCM of `stream` and `parts`, patches of `encode`. */
export interface TaskPiece {
  /** Where it begins, in values since the beginning of the answer. */
  readonly start: number;
  readonly samples: Float32Array;
  /** What else belongs to it, as JSON can hold it. */
  readonly details: object;
  /** What the piece before did not know yet. */
  readonly warnings: readonly string[];
}

const pieceDetails = z.looseObject({ warnings: z.array(z.string()).readonly().default([]) });

export const parseDetails = (json: string): Pick<TaskPiece, 'details' | 'warnings'> => {
  const { warnings, ...details } = parsed(pieceDetails, JSON.parse(json), 'BACKEND_UNAVAILABLE');
  return { details, warnings };
};

/** How a task ended. */
const taskOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), warnings: z.array(z.string()).readonly().default([]) }),
  z.object({ kind: z.literal('failed'), code: z.string(), message: z.string() }),
]);
export type TaskOutcome = Readonly<z.input<typeof taskOutcome>>;

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

/** Pieces that may wait to be heard, so that a listener who does not read does not fill the broker. */
export const mostUnheard: Readonly<Record<TaskKind, number>> = { stream: 16, parts: 2, encode: 1 };

/** How long a task and a request are kept for a front end that gives no sign of life, in milliseconds. */
export const leaseMilliseconds = 10_000;
export const renewMilliseconds = 1_000;

/** How long a worker counts as alive after its last sign of life, and how often it gives one. */
export const aliveMilliseconds = 5_000;
export const heartbeatMilliseconds = 1_000;

/** A worker keeps the lock of its tasks for that long without a sign of life; the others look that often. */
export const lockMilliseconds = 3_000;
export const stallCheckMilliseconds = 500;
/** Workers that may die over one task before it is given up. */
export const mostCrashes = 5;
