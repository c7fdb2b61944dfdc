/** Cancellation: lifetimes that follow a signal, and its errors. */
import { ignore, SvcError } from './errors.ts';

export type Lifetime = ReturnType<typeof followSignal>;

/**
 * Creates a signal that ends with `outer` or by itself; call `detach` when done. `AbortSignal.any` is not enough: in
 * Node.js 20 a composite signal held only by listeners may be collected before it fires, and one of a long-lived signal
 * leaks.
 */
export function followSignal(outer?: AbortSignal) {
  const controller = new AbortController();
  const forward = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) forward();
  else outer?.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal as AbortSignal,
    /** Ends only this lifetime, not the outer signal. */
    end: (reason?: SvcError): void => controller.abort(reason ?? new SvcError('CANCELLED', 'canceled')),
    /** Removes the listener from the outer signal, which may live as long as the process. */
    detach: (): void => outer?.removeEventListener('abort', forward),
  };
}

/** The error of a canceled operation: the signal's reason if it is an `SvcError`. */
export function canceled(signal: AbortSignal): SvcError {
  const reason: unknown = signal.reason;
  return reason instanceof SvcError ? reason : new SvcError('CANCELLED', 'canceled', { cause: reason });
}

export function throwIfCanceled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw canceled(signal);
}

/** Pauses between two slices of a long call and checks the signal. */
export async function betweenSlices(
  signal: AbortSignal | undefined,
  pause: (() => Promise<void>) | undefined,
): Promise<void> {
  throwIfCanceled(signal);
  await pause?.();
  throwIfCanceled(signal);
}

/**
 * Waits until one of the functions given to `begin` is called; rejects with the signal's reason once it is aborted. An
 * aborted signal rejects without `begin`.
 *
 * @param end is called when the wait ends, however it ends, before anything else learns of it
 */
export function waitFor<Result = void>(
  signal: AbortSignal | undefined,
  begin: (resolve: (result: Result) => void, reject: (reason: unknown) => void) => void,
  end: () => void = ignore,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const settle = (conclude: () => void): void => {
      if (isOver) return;
      isOver = true;
      signal?.removeEventListener('abort', abort);
      end();
      conclude();
    };
    const fail = (reason: unknown): void => settle(() => reject(reason));
    const abort = (): void => fail(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    begin((result) => settle(() => resolve(result)), fail);
  });
}

/** Waits for work that can't be canceled; rejects with the reason of the signal as soon as it is aborted. */
export function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  // Not waited for if the signal comes first.
  work.catch(ignore);
  return waitFor<Result>(signal, (resolve, reject) => void work.then(resolve, reject));
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> => waitFor(signal, ignore).catch(ignore);
