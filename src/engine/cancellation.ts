import { SvcError } from '../errors.ts';
import type { Pause } from './backend.ts';

/** What a cancelled operation rejects with: the signal's own reason when that is one of ours. */
export function cancelled(signal: AbortSignal): SvcError {
  const reason: unknown = signal.reason;
  return reason instanceof SvcError ? reason : new SvcError('CANCELLED', 'cancelled', { cause: reason });
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal);
}

/** Between two slices of a call that takes seconds. */
export async function betweenSlices(signal: AbortSignal | undefined, pause: Pause | undefined): Promise<void> {
  if (signal !== undefined) throwIfCancelled(signal);
  await pause?.();
  if (signal !== undefined) throwIfCancelled(signal);
}
