/**
 * Work in small pieces: a generator that yields where other work may go first, and returns the result. The same code so runs
 * at once, or in turns with the event loop.
 */
import { createPace } from './next-turn.ts';

export type Steps<Result> = Generator<undefined, Result, undefined>;

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  const pace = createPace();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pace();
  }
}

/** What a generator makes, without the places where other work may go first. */
export function* withoutSteps<Item>(items: Iterable<Item | undefined>): Generator<Item> {
  for (const item of items) if (item !== undefined) yield item;
}

/** What a generator makes, in turns with the event loop. */
export async function* itemsInTurns<Item>(items: Iterable<Item | undefined>): AsyncGenerator<Item, void, undefined> {
  const pace = createPace();
  for (const item of items) {
    if (item === undefined) await pace();
    else yield item;
  }
}
