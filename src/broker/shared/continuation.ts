/**
 * Continues an answer on another worker. Pieces carry the position of their first value, so that nothing is repeated or
 * skipped even if the new worker cuts the audio at other places.
 */
import type { TaskPiece } from './task.ts';

/**
 * The part of a piece after `position`; undefined when there is none.
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
