import type { Job } from '../../admission/queue.ts';
import type { WriteBytes } from '../../audio/encode/sink.ts';
import { followSignal } from '../../cancellation.ts';
import { SvcError } from '../../errors.ts';
import type { ServerLimits } from '../context/settings.ts';

/** Waits for slow clients up to a limit, and gives up the slot meanwhile. @param open its signal ends a write */
export function createSlowClientWriter(
  job: Job,
  { pauseMilliseconds, stallMilliseconds }: ServerLimits,
  open: (signal: AbortSignal) => WriteBytes,
): WriteBytes {
  const patience = followSignal(job.signal);
  const write = open(patience.signal);
  return async (bytes) => {
    const pause = setTimeout(() => job.pause(), pauseMilliseconds);
    const end = setTimeout(() => {
      patience.end(new SvcError('CANCELLED', `the client read nothing for ${stallMilliseconds / 1000} s`));
    }, stallMilliseconds);
    try {
      await write(bytes);
    } finally {
      clearTimeout(pause);
      clearTimeout(end);
      job.resume();
    }
  };
}
