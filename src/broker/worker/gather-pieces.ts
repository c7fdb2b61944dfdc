/**
 * Joins small pieces of a stream while its listener has audio ahead: what a piece costs at the broker, at the front end and
 * on the network hardly depends on its length.
 */
import { concatenate } from '../../float-arrays.ts';
import type { TaskPiece } from '../shared/task.ts';

/** Longest joined piece, in seconds: what a listener that is far ahead may receive late. */
const longestSeconds = 1;
/** Of the audio that the listener has ahead, the part that may be held back. */
const heldShare = 0.5;

export interface PieceGatherer {
  /** Takes the next piece; returns those to send now, none while the listener can wait. */
  add(piece: TaskPiece): readonly TaskPiece[];
  /** Returns what is held back. */
  flush(): readonly TaskPiece[];
}

interface Joinable {
  readonly part?: number;
  readonly text?: string;
  readonly taken?: number;
  readonly end?: string | undefined;
  readonly sentences?: readonly unknown[];
}

/** Whether a listener loses nothing if `next` arrives as a part of the piece before. */
const isContinued = (held: Joinable, next: Joinable): boolean =>
  next.part === held.part && next.taken === held.taken && next.text === undefined;

function join(held: TaskPiece, next: TaskPiece): TaskPiece {
  const [{ sentences: early = [], ...first }, { sentences: late = [], end }] = [held.details, next.details] as [
    Joinable,
    Joinable,
  ];
  const sentences = [...early, ...late];
  return {
    start: held.start,
    samples: concatenate([held.samples, next.samples]),
    details: { ...first, end, ...(sentences.length > 0 && { sentences }) },
    warnings: [...held.warnings, ...next.warnings],
  };
}

/** @param now milliseconds */
export function createGatherer(sampleRate: number, now: () => number = () => performance.now()): PieceGatherer {
  let held: TaskPiece | undefined;
  let begun: number | undefined;
  let sentSeconds = 0;

  function flush(): readonly TaskPiece[] {
    if (held === undefined) return [];
    const piece = held;
    held = undefined;
    begun ??= now();
    sentSeconds += piece.samples.length / sampleRate;
    return [piece];
  }

  /** What a listener who plays since the first piece has not played yet. */
  const aheadSeconds = (): number => (begun === undefined ? 0 : sentSeconds - (now() - begun) / 1000);

  return {
    add(piece) {
      const before = held !== undefined && !isContinued(held.details, piece.details) ? flush() : [];
      held = held === undefined ? piece : join(held, piece);
      const patience = Math.min(longestSeconds, heldShare * aheadSeconds());
      const isDue = (held.details as Joinable).end !== undefined || held.samples.length / sampleRate >= patience;
      return isDue ? [...before, ...flush()] : before;
    },
    flush,
  };
}
