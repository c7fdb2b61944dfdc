import type { Job } from '../../admission/queue.ts';
import type { WriteBytes } from '../../audio/encode/sink.ts';
import { followSignal, untilAborted } from '../../cancellation.ts';
import { SvcError } from '../../errors.ts';
import type { ServerLimits } from '../context/settings.ts';

/** Waits for slow clients up to a limit, and gives up the slot meanwhile. Writes nothing once the job is aborted. */
export function createSlowClientWriter(
  job: Job,
  { pauseMilliseconds, stallMilliseconds }: ServerLimits,
  write: WriteBytes,
): WriteBytes {
  const patience = followSignal(job.signal);
  return async (bytes) => {
    patience.signal.throwIfAborted();
    const pause = setTimeout(() => job.pause(), pauseMilliseconds);
    const end = setTimeout(() => {
      patience.end(new SvcError('CANCELLED', `the client read nothing for ${stallMilliseconds / 1000} s`));
    }, stallMilliseconds);
    try {
      await untilAborted(patience.signal, write(bytes));
    } finally {
      clearTimeout(pause);
      clearTimeout(end);
      job.resume();
    }
  };
}
