/** An in-memory `AnswerWriter` with the same rules. */

import { continuePiece } from '../../src/broker/shared/continuation.ts';
import type { TaskOutcome, TaskPiece } from '../../src/broker/shared/task.ts';
import type { AnswerWriter } from '../../src/broker/worker/answer-writer.ts';

export interface MemoryAnswers extends AnswerWriter {
  readonly heard: readonly number[];
  readonly pieces: readonly TaskPiece[];
  readonly outcome: TaskOutcome | undefined;
  /** The listener leaves. */
  leave(): void;
}

export function createMemoryAnswers(onPiece?: (count: number) => void): MemoryAnswers {
  const heard: number[] = [];
  const pieces: TaskPiece[] = [];
  let outcome: TaskOutcome | undefined;
  let gone = false;
  const isOver = (): boolean => gone || outcome !== undefined;
  return {
    heard,
    pieces,
    get outcome() {
      return outcome;
    },
    leave: () => {
      gone = true;
    },
    position: async () => (isOver() ? 'gone' : heard.length),
    async append(_task, piece) {
      if (isOver()) return { position: 'gone', unheard: 0 };
      const rest = continuePiece(piece, heard.length);
      if (rest !== undefined) {
        heard.push(...rest.samples);
        pieces.push(rest);
        onPiece?.(pieces.length);
      }
      return { position: heard.length, unheard: 0 };
    },
    async finish(_task, ended) {
      if (!isOver()) outcome = ended;
      return 'ended';
    },
  };
}
