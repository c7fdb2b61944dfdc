import { SingleBar } from 'cli-progress';

export interface ProgressBar {
  update(label: string, done: number, total: number): void;
  /** Clears the bar; a later update brings it back. */
  stop(): void;
}

const silent: ProgressBar = { update: () => undefined, stop: () => undefined };

/** A bar on a terminal, nothing anywhere else. */
export function createProgress(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }): ProgressBar {
  if (stream.isTTY !== true) return silent;
  const bar = new SingleBar({
    stream,
    format: '{label} [{bar}] {value}/{total}',
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    clearOnComplete: true,
    linewrap: null,
    // Signals are the command's own affair, and a handler here would keep the second Ctrl-C from killing.
    gracefulExit: false,
  });
  let started = false;
  return {
    update(label, done, total) {
      if (!started) bar.start(total, done, { label });
      started = true;
      bar.setTotal(total);
      bar.update(done, { label });
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}
