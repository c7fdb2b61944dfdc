/** Spans of a trace, and the one that the running code belongs to. While tracing is off, every span is `noSpan`. */
import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: 'server' | 'producer' | 'consumer';
  /** Never texts of users. */
  readonly attributes?: SpanAttributes;
}

export interface Span {
  /** Names the span for another process, in the W3C format; undefined while tracing is off. */
  readonly traceparent: string | undefined;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  child(name: string, options?: SpanOptions): Span;
  /** Runs code in which it is the current span. */
  run<Result>(work: () => Result): Result;
  /** Only the code of an error is recorded: its message may quote a user's text. */
  end(failure?: unknown): void;
}

/** Starts spans that have no parent in this process. */
export type StartSpan = (name: string, options: SpanOptions & { readonly traceparent?: string | undefined }) => Span;

export const noSpan: Span = {
  traceparent: undefined,
  set: () => undefined,
  rename: () => undefined,
  child: () => noSpan,
  run: (work) => work(),
  end: () => undefined,
};

const current = new AsyncLocalStorage<Span>();
let start: StartSpan = () => noSpan;

export const runWithin = <Result>(span: Span, work: () => Result): Result => current.run(span, work);

export const currentSpan = (): Span => current.getStore() ?? noSpan;

export const startSpan: StartSpan = (...given) => start(...given);

/** Turns tracing on, or off again without an argument. One for the process, as the spans of all its parts belong together. */
export function useTracer(tracer?: StartSpan): void {
  start = tracer ?? (() => noSpan);
}

/** Ends with the work. */
export async function withSpan<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Pulls items in the context of a span: a generator otherwise runs in that of its reader. */
export function pulledWithin<Item>(span: Span, items: AsyncIterable<Item>): AsyncIterable<Item> {
  if (span === noSpan) return items;
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => span.run(() => iterator.next()),
        return: async () => (await span.run(() => iterator.return?.())) ?? { done: true, value: undefined },
      };
    },
  };
}
