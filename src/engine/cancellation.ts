import { SvcError } from '../errors.ts';

/** What a cancelled operation rejects with: the signal's own reason when that is one of ours. */
export function cancelled(signal: AbortSignal): SvcError {
  const reason: unknown = signal.reason;
  return reason instanceof SvcError ? reason : new SvcError('CANCELLED', 'cancelled', { cause: reason });
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal);
}
