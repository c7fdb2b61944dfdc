/** An in-memory `AnswerWriter` with the same rules. */

import { continuePiece, type TaskOutcome, type TaskPiece } from '../../src/broker/shared/task.ts';
import type { AnswerWriter } from '../../src/broker/worker/answer-writer.ts';

export interface MemoryAnswers extends AnswerWriter {
  readonly received: readonly number[];
  readonly pieces: readonly TaskPiece[];
  readonly outcome: TaskOutcome | undefined;
  /** The listener leaves. */
  leave(): void;
}

export function createMemoryAnswers(onPiece?: (count: number) => void): MemoryAnswers {
  const received: number[] = [];
  const pieces: TaskPiece[] = [];
  let outcome: TaskOutcome | undefined;
  let gone = false;
  const isOver = (): boolean => gone || outcome !== undefined;
  return {
    received,
    pieces,
    get outcome() {
      return outcome;
    },
    leave: () => {
      gone = true;
    },
    position: async () => (isOver() ? 'gone' : received.length),
    async append(_task, piece) {
      if (isOver()) return { position: 'gone', unread: 0 };
      const rest = continuePiece(piece, received.length);
      if (rest !== undefined) {
        received.push(...rest.samples);
        pieces.push(rest);
        onPiece?.(pieces.length);
      }
      return { position: received.length, unread: 0 };
    },
    async finish(_task, ended) {
      if (!isOver()) outcome = ended;
      return 'ended';
    },
  };
}
