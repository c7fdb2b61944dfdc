/**
 * Joins small pieces of a stream while its listener has audio ahead: what a piece costs at the broker, at the front end and
 * on the network hardly depends on its length.
 */
import { joinEvents, type SpeechEvent } from '../../engine/speech-event.ts';
import type { TaskPiece } from '../shared/task.ts';

/** Longest joined piece, in seconds: what a listener that is far ahead may receive late. */
const longestSeconds = 1;
/** Part of the listener's audio ahead that may be held back. */
const heldShare = 0.5;

export interface PieceGatherer {
  /** Takes the next piece; returns those to send now, none while the listener can wait. */
  add(piece: TaskPiece): readonly TaskPiece[];
  /** Returns what is held back. */
  flush(): readonly TaskPiece[];
}

/** Details of a piece beside its audio. */
type Details = Omit<SpeechEvent, 'samples' | 'warnings'> & { readonly taken?: number };

/** Whether a listener loses nothing if `next` arrives as a part of the piece before. */
const isContinued = (held: Details, next: Details): boolean =>
  next.part === held.part && next.taken === held.taken && next.text === undefined;

function join(held: TaskPiece, next: TaskPiece): TaskPiece {
  const eventOf = ({ samples, details }: TaskPiece): SpeechEvent => ({ ...(details as Details), samples });
  const { samples, ...details } = joinEvents(eventOf(held), eventOf(next));
  return { start: held.start, samples, details, warnings: [...held.warnings, ...next.warnings] };
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

  /** Audio that a listener who plays since the first piece has not played yet. */
  const aheadSeconds = (): number => (begun === undefined ? 0 : sentSeconds - (now() - begun) / 1000);

  return {
    add(piece) {
      const before =
        held !== undefined && !isContinued(held.details as Details, piece.details as Details) ? flush() : [];
      held = held === undefined ? piece : join(held, piece);
      const patience = Math.min(longestSeconds, heldShare * aheadSeconds());
      const isDue = (held.details as Details).end !== undefined || held.samples.length / sampleRate >= patience;
      return isDue ? [...before, ...flush()] : before;
    },
    flush,
  };
}
