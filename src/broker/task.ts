/** What a front end asks of a worker, and what it gets: one task is one BullMQ job and one stream of audio. */

export type TaskKind = 'stream' | 'parts' | 'encode';

/** Data of the BullMQ job. */
export interface TaskData {
  readonly task: string;
  readonly kind: TaskKind;
  /** JSON of the packed request; its numbers are under a key of their own. */
  readonly request: string;
  /** Channel on which the front end hears of new audio. */
  readonly news: string;
  /** Of the model that the front end knows. */
  readonly model: string;
}

/** A piece of the answer: PCM of `stream` and `parts`, patches of `encode`. */
export interface TaskPiece {
  /** Where it begins, in values since the beginning of the answer. */
  readonly start: number;
  readonly samples: Float32Array;
  /** Patch of the generated audio; empty for other kinds. */
  readonly patch: Float32Array;
  /** What else belongs to it, as JSON can hold it. */
  readonly details: object;
  /** What the piece before did not know yet. */
  readonly warnings: readonly string[];
}

/** How a task ended. */
export type TaskOutcome =
  | { readonly kind: 'done'; readonly warnings?: readonly string[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

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
