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
  return {
    update(label, share, detail) {
      const payload = { label, detail: detail === undefined ? '' : `, ${detail}` };
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
