import { performance } from 'node:perf_hooks';
import { SingleBar } from 'cli-progress';

export interface ProgressBar {
  /**
   * @param share that is done, from 0 to 1
   * @param detail shown behind the percentage, such as `12 MB of 1.2 GB`
   */
  update(label: string, share: number, detail?: string): void;
  /** Fills the bar, for work whose share was an estimate. Nothing is drawn unless there was a bar. */
  complete(): void;
  /** Clears the bar; a later update brings it back. */
  stop(): void;
}

const silent: ProgressBar = { update: () => undefined, complete: () => undefined, stop: () => undefined };

/** A bar on a terminal, nothing anywhere else. */
export function createProgress(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }): ProgressBar {
  if (stream.isTTY !== true) return silent;
  const bar = new SingleBar({
    stream,
    format: '{label} [{bar}] {percentage} %{detail}',
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    clearOnComplete: true,
    linewrap: null,
    // The command handles signals itself; a handler here would keep the second Ctrl-C from killing it.
    gracefulExit: false,
  });
  let started = false;
  const remaining = createRemaining();
  return {
    update(label, share, detail) {
      const details = [detail, remaining(share, performance.now() / 1000)];
      const payload = { label, detail: details.map((each) => (each === undefined ? '' : `, ${each}`)).join('') };
      if (!started) bar.start(100, 0, payload);
      started = true;
      bar.update(Math.floor(Math.min(1, Math.max(0, share)) * 100), payload);
    },
    complete() {
      if (started) bar.update(100);
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}

/** Seconds of work and share of it before an estimate says something, and the shortest that is worth a look. */
const [leastSeconds, leastShare, shortest] = [3, 0.005, 60];

/**
 * Estimates the time that work takes from the speed so far; of work that was resumed, from what this run has done. Work that
 * begins again is another.
 *
 * @returns for a share from 0 to 1 and the present time in seconds, text such as `12 min left`; undefined if it is unknown or short
 */
export function createRemaining(): (share: number, now: number) => string | undefined {
  let begin: { readonly share: number; readonly now: number } | undefined;
  let last = 0;
  return (share, now) => {
    if (begin === undefined || share < last) begin = { share, now };
    last = share;
    const [seconds, done] = [now - begin.now, share - begin.share];
    if (seconds < leastSeconds || done < leastShare) return undefined;
    const left = (seconds / done) * (1 - share);
    if (left < shortest) return undefined;
    const minutes = Math.round(left / 60);
    return minutes < 60 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
  };
}
