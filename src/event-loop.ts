/** Long work that lets others use the event loop. */

/** Waits for the next turn of the event loop: with `setImmediate` in Node.js, with a message in browsers. */
export const yieldToEventLoop: () => Promise<void> =
  typeof setImmediate === 'function' ? () => new Promise((resolve) => setImmediate(resolve)) : byMessage();

/** The part of a browser's message port that is missing in Node's types. */
interface BrowserPort {
  onmessage: () => void;
  postMessage(message: undefined): void;
}

/** Not a timer, as browsers delay nested timers by 4 ms and those of hidden pages by a second. */
function byMessage(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const { port1, port2 } = new MessageChannel() as unknown as Record<'port1' | 'port2', BrowserPort>;
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(undefined);
    });
}

/** Longest uninterrupted computation in milliseconds: of all that are paced together. */
const longestTurn = 10;

/** When the first computation of this turn of the event loop began; undefined if there was none. */
let began: number | undefined;

function beginTurn(): void {
  if (began !== undefined) return;
  began = performance.now();
  void yieldToEventLoop().then(() => {
    began = undefined;
  });
}

/** Computations that wait for a turn, in order. */
const waiting: (() => void)[] = [];

/** Lets one of them continue in each turn, so that hundreds leave as much time to other work as one does. */
async function resume(): Promise<void> {
  while (waiting.length > 0) {
    await untilNothingArrives();
    beginTurn();
    waiting.shift()?.();
  }
}

let arrivals = 0;

/** Informs work that can wait that a client has connected. */
export function noteArrival(): void {
  arrivals += 1;
}

/** Longest time in milliseconds that arrivals keep other work waiting, which then goes on beside them for as long. */
const mostArriving = 300;

/** Until when other work goes on whatever arrives. */
let patienceEnded = 0;

/** Node.js accepts one connection in each turn: behind hundreds, a health probe would wait for as much other work. */
export async function untilNothingArrives(): Promise<void> {
  const began = performance.now();
  for (;;) {
    const before = arrivals;
    await yieldToEventLoop();
    const now = performance.now();
    if (arrivals === before || now < patienceEnded) return;
    if (now - began >= mostArriving) patienceEnded = now + mostArriving;
  }
}

/** Await it after each small piece of a long computation. */
export type Pace = () => Promise<void>;

/**
 * Creates a function to await after each small piece of a long computation: it yields to the event loop when such
 * computations have taken long since its last turn.
 *
 * @param signal stops the computation between two pieces, with its reason
 *
 * @example
 * const pace = createPace();
 * for (const piece of pieces) {
 *   compute(piece);
 *   await pace();
 * }
 */
export function createPace(signal?: AbortSignal): Pace {
  if (waiting.length === 0) beginTurn();
  return async () => {
    const isDue = began === undefined ? waiting.length === 0 : performance.now() - began < longestTurn;
    if (isDue) beginTurn();
    else {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 1) void resume();
      });
    }
    signal?.throwIfAborted();
  };
}

/** Where other work may go first, or what has to be there before the work continues, such as a module. */
export type Wait = Promise<unknown> | undefined;

export const isWait = (step: unknown): step is Wait => step === undefined || step instanceof Promise;

/**
 * Work in small pieces: a generator that yields where other work may go first, and returns the result. The same code so runs
 * at once, or in turns with the event loop.
 */
export type Steps<Result> = Generator<Wait, Result, undefined>;

/**
 * @param waits `skip` for work that may do without what it would wait for
 * @throws Error for work that has to wait for something
 */
export function atOnce<Result>(steps: Steps<Result>, waits: 'none' | 'skip' = 'none'): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value !== undefined && waits === 'none') throw mustWait();
  }
}

const mustWait = (): Error => new Error('this work waits for a module; run it in turns');

/** @param signal stops the work between two steps, with its reason */
export async function inTurns<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  const pace = createPace();
  for (;;) {
    // Also before the first step: hundreds of requests may arrive together.
    await pace();
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value !== undefined) await step.value;
  }
}

/** Items of a generator, without the places where other work may go first. */
export function* withoutSteps<Item>(items: Iterable<Item | Wait>): Generator<Item> {
  for (const item of items) {
    if (item instanceof Promise) throw mustWait();
    if (item !== undefined) yield item as Item;
  }
}

/** Items of a generator, in turns with the event loop. */
export async function* itemsInTurns<Item>(items: Iterable<Item | Wait>): AsyncGenerator<Item, void, undefined> {
  const pace = createPace();
  for (const item of items) {
    if (item === undefined) await pace();
    else if (item instanceof Promise) await item;
    else yield item as Item;
  }
}
