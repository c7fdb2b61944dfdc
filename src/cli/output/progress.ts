import { performance } from 'node:perf_hooks';
import { ignore } from '../../errors.ts';
import { openStatusLine, type Terminal } from './status-line.ts';

export interface ProgressBar extends Disposable {
  /** Shows a share from 0 to 1, and behind it a detail such as `12 MB of 1.2 GB`. */
  update(label: string, share: number, detail?: string): void;
  /** Fills the bar, for work whose share was an estimate. Nothing is drawn unless there was a bar. */
  complete(): void;
  /** Clears the bar; a later update brings it back. */
  stop(): void;
}

const silent: ProgressBar = { update: ignore, complete: ignore, stop: ignore, [Symbol.dispose]: ignore };

/** Columns between the brackets of a bar; the fewest leave room for a long label. */
const [leastWidth, mostWidth] = [10, 40];
/** Between two drawings of a bar, in milliseconds. */
const redrawAfter = 100;

/** A bar on a terminal, nothing anywhere else. Messages appear above it. */
export function createProgress(stream: Terminal): ProgressBar {
  if (stream.isTTY !== true) return silent;
  const line = openStatusLine(stream);
  let shown: { readonly label: string; readonly share: number; readonly details: string } | undefined;
  let drawn = Number.NEGATIVE_INFINITY;
  let pending: NodeJS.Timeout | undefined;
  const remaining = createRemaining();
  const draw = (): void => {
    clearTimeout(pending);
    pending = undefined;
    if (shown === undefined) return;
    drawn = performance.now();
    const percentage = `${Math.floor(shown.share * 100)} %${shown.details}`;
    const room = line.columns() - `${shown.label} [] ${percentage}`.length;
    const width = Math.max(leastWidth, Math.min(mostWidth, room));
    const filled = Math.round(shown.share * width);
    line.show(`${shown.label} [${'='.repeat(filled)}${' '.repeat(width - filled)}] ${percentage}`);
  };
  const stop = (): void => {
    clearTimeout(pending);
    pending = undefined;
    shown = undefined;
    line.clear();
  };
  return {
    update(label, share, detail) {
      if (shown !== undefined && label !== shown.label) draw();
      const details = [detail, remaining(share, performance.now() / 1000)];
      const isOther = label !== shown?.label;
      shown = {
        label,
        share: Math.min(1, Math.max(0, share)),
        details: details.map((each) => (each === undefined ? '' : `, ${each}`)).join(''),
      };
      const wait = drawn + redrawAfter - performance.now();
      if (isOther || wait <= 0) draw();
      else pending ??= setTimeout(draw, wait).unref();
    },
    complete() {
      if (shown === undefined) return;
      shown = { ...shown, share: 1 };
      draw();
    },
    stop,
    [Symbol.dispose]: stop,
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
