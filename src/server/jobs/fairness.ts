import type { Job } from '../../admission/queue.ts';
import type { ServerLimits } from '../context/settings.ts';

/** The shortest turn, as a fraction of the longest: each may begin with the graph of another batch size. */
const shortestTurn = 0.1;

/**
 * Makes long answers give way to waiting jobs now and then: when the audio is far enough ahead of real time that the
 * listener notices nothing, or slower than real time, when live playback is impossible anyway. Backpressure doesn't show this,
 * since socket buffers hold megabytes for a client that doesn't read. Turns are shorter while a new job waits, which has
 * sent no audio yet.
 */
export function createFairness(job: Job, limits: ServerLimits): (seconds: number) => Promise<void> {
  const began = performance.now();
  let turnBegan = began;
  let sent = 0;
  return async (seconds) => {
    sent += seconds;
    const { turnSeconds: usual, newcomerTurnSeconds } = limits;
    const turnSeconds = job.hasNewcomers() ? Math.min(newcomerTurnSeconds, usual) : usual;
    const now = performance.now();
    const ahead = sent - (now - began) / 1000;
    const served = (now - turnBegan) / 1000;
    const enough = ahead >= turnSeconds ? shortestTurn * turnSeconds : turnSeconds;
    if (served < enough || (ahead > 0 && ahead < turnSeconds)) return;
    await job.yieldToWaiting();
    turnBegan = performance.now();
  };
}
