import { SvcError } from '../errors.ts';
import type { Pause } from './backend.ts';

/** The error of a canceled operation: the signal's reason if it is an `SvcError`. */
export function cancelled(signal: AbortSignal): SvcError {
  const reason: unknown = signal.reason;
  return reason instanceof SvcError ? reason : new SvcError('CANCELLED', 'cancelled', { cause: reason });
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal);
}

/** Pauses between two slices of a long call and checks the signal. */
export async function betweenSlices(signal: AbortSignal | undefined, pause: Pause | undefined): Promise<void> {
  if (signal !== undefined) throwIfCancelled(signal);
  await pause?.();
  if (signal !== undefined) throwIfCancelled(signal);
}
