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
    end: (reason) => controller.abort(reason ?? new SvcError('CANCELLED', 'cancelled')),
    detach: () => outer?.removeEventListener('abort', forward),
  };
}
