import { SvcError } from './errors.ts';

export interface Lifetime {
  readonly signal: AbortSignal;
  /** Ends this lifetime only; the outer signal is not touched. */
  end(reason?: SvcError): void;
  /** Lets go of the outer signal, which may live as long as the process. */
  detach(): void;
}

/**
 * A signal that ends with `outer` or by itself. To be detached in the end. `AbortSignal.any` would do, but in Node 20 a
 * composite that only listeners hold may be collected before it fires, and one over a long-lived signal leaks.
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
