/** Cancellation: lifetimes that follow a signal, and its errors. */
import { SvcError } from './errors.ts';

export interface Lifetime {
  readonly signal: AbortSignal;
  /** Ends only this lifetime, not the outer signal. */
  end(reason?: SvcError): void;
  /** Removes the listener from the outer signal, which may live as long as the process. */
  detach(): void;
}

/**
 * Creates a signal that ends with `outer` or by itself; call `detach` when done. `AbortSignal.any` is not enough: in
 * Node.js 20 a composite signal held only by listeners may be collected before it fires, and one of a long-lived signal
 * leaks.
 */
export function followSignal(outer?: AbortSignal): Lifetime {
  const controller = new AbortController();
  const forward = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) forward();
  else outer?.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    end: (reason) => controller.abort(reason ?? new SvcError('CANCELLED', 'canceled')),
    detach: () => outer?.removeEventListener('abort', forward),
  };
}

/** The error of a canceled operation: the signal's reason if it is an `SvcError`. */
export function cancelled(signal: AbortSignal): SvcError {
  const reason: unknown = signal.reason;
  return reason instanceof SvcError ? reason : new SvcError('CANCELLED', 'canceled', { cause: reason });
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal);
}

/** Pauses between two slices of a long call and checks the signal. */
export async function betweenSlices(
  signal: AbortSignal | undefined,
  pause: (() => Promise<void>) | undefined,
): Promise<void> {
  if (signal !== undefined) throwIfCancelled(signal);
  await pause?.();
  if (signal !== undefined) throwIfCancelled(signal);
}

/** Waits for work that can't be canceled; rejects with the reason of the signal as soon as it is aborted. */
export function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
