/**
 * Where a piece goes on. Pieces are numbered by the position of their first value, so that what is already in the
 * stream is neither repeated nor left out, wherever a worker that made it again has cut it.
 */
import type { TaskPiece } from './task.ts';

/**
 * The part of a piece that follows on `position`; undefined when nothing of it does.
 *
 * @throws RangeError when values between `position` and the piece are missing
 */
export function continuePiece(piece: TaskPiece, position: number): TaskPiece | undefined {
  const skipped = position - piece.start;
  if (skipped < 0) throw new RangeError(`expected a piece from ${position} on, received one from ${piece.start} on`);
  if (skipped === 0) return piece;
  if (skipped >= piece.samples.length) return undefined;
  return { ...piece, start: position, samples: piece.samples.slice(skipped) };
}

/** Id of an entry of a stream: it ends at `end`. */
export const pieceId = (end: number): string => `${end}-1`;

export interface EntryId {
  readonly position: number;
  readonly isOutcome: boolean;
}

export function parseEntryId(id: string): EntryId {
  const [position, kind] = id.split('-').map(Number);
  return { position: position ?? 0, isOutcome: kind === 2 };
}
