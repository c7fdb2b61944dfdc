/** A long call that takes one turn on the queue for each of its slices, so that others go between them. */
import { throwIfCanceled } from '../cancellation.ts';
import { ignore } from '../errors.ts';
import type { Pause } from './backend.ts';
import type { CallQueue } from './call-queue.ts';

export interface SlicedCalls {
  readonly queue: CallQueue;
  /** @throws SvcError BACKEND_UNAVAILABLE once the queue is closed */
  readonly assertOpen: () => void;
  readonly sliced: Set<Promise<unknown>>;
}

/** Opens the turns of a call. They must be ended, also if none was taken. */
export function openTurns({ queue, assertOpen, sliced }: SlicedCalls, owner: object, signal: AbortSignal | undefined) {
  let endTurn = ignore;
  let conclude = ignore;
  const whole = new Promise<void>((resolve) => {
    conclude = resolve;
  });
  sliced.add(whole);
  const take = async (): Promise<void> => {
    assertOpen();
    throwIfCanceled(signal);
    return new Promise((begin, refuse) => {
      const turn = new Promise<[undefined]>((end) => {
        endTurn = () => end([undefined]);
      });
      const run = (): Promise<[undefined]> => {
        begin();
        return turn;
      };
      queue.submit({ owner, data: undefined, run }).catch(refuse);
    });
  };
  return {
    take,
    /** Lets waiting calls run, then takes the next turn. */
    pause: (): ReturnType<Pause> => {
      endTurn();
      return take();
    },
    /** The same, once others have made room for the call. */
    async pauseUntil(room: Promise<void>): Promise<void> {
      endTurn();
      await room;
      await take();
    },
    end(): void {
      endTurn();
      sliced.delete(whole);
      conclude();
    },
  };
}
