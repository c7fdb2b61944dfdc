/** Counts the outcomes of a batch, shows its progress, and reports its end. */
import { performance } from 'node:perf_hooks';
import type { ModelInfo } from '../../engine/backend.ts';
import { SvcError } from '../../errors.ts';
import type { Io } from '../io.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { printError, printNote, printWarning } from '../output/messages.ts';
import { createProgress } from '../output/progress.ts';
import { formatDuration, formatRate, formatRtf, formatSeconds, round } from '../output/units.ts';
import type { SynthesisResult } from './batch-synthesizer.ts';

/** Failures and different warnings that the report lists; the manifest has all of them. */
const shownFailures = 20;

export type BatchProgress = ReturnType<typeof createBatchProgress>;

export interface BatchProgressOptions extends Pick<OutputOptions, 'json' | 'verbose' | 'quiet'> {
  readonly maxBatch: number;
}

export function createBatchProgress(total: number, { json, verbose, quiet, maxBatch }: BatchProgressOptions, io: Io) {
  const bar = quiet ? undefined : createProgress(io.stderr);
  const codes = new Set<SvcError['code']>();
  const failures: [line: number, message: string][] = [];
  const counts = { done: 0, skipped: 0, failed: 0, limited: 0, warned: 0 };
  let unlisted = 0;
  /** The first line with a warning, and how many more have it, by message. */
  const warnings = new Map<string, { readonly subject: string; more: number }>();
  let audioSeconds = 0;
  let started: number | undefined;
  let model: ModelInfo | undefined;

  const seconds = (): number => (started === undefined ? 0 : (performance.now() - started) / 1000);
  const rtf = (): number | undefined => (audioSeconds === 0 ? undefined : seconds() / audioSeconds);
  const show = (): void => {
    const finished = counts.done + counts.skipped + counts.failed;
    const factor = rtf();
    const made = counts.done + counts.failed;
    const perSecond = made / seconds();
    const isKnown = made > 0 && seconds() > 0;
    const details = [
      `${finished} of ${total} lines`,
      ...(isKnown ? [formatRate(perSecond, 'lines'), `${formatDuration((total - finished) / perSecond)} left`] : []),
      ...(factor === undefined ? [] : [formatRtf(factor)]),
      ...(counts.failed === 0 ? [] : [`${counts.failed} failed`]),
    ];
    bar?.update('speaking', finished / total, details.join(', '));
  };
  show();

  function summarize(manifest: string): void {
    const factor = rtf();
    if (json) {
      const { name = null, device = null } = model ?? {};
      const rounded = factor === undefined ? null : round(factor, 3);
      const times = { audioSeconds: round(audioSeconds, 4), seconds: round(seconds(), 3), rtf: rounded };
      const line = { utterances: total, ...counts, ...times, maxBatch, model: name, backend: device, manifest };
      io.stdout.write(`${JSON.stringify(line)}\n`);
    } else if (verbose || (io.stderr.isTTY === true && !quiet)) {
      const times = `${formatSeconds(audioSeconds)} of speech in ${formatSeconds(seconds())}`;
      const speed = factor === undefined ? '' : `, ${times} (${formatRtf(factor)})`;
      printNote(`${counts.done} spoken, ${counts.skipped} unchanged, ${counts.failed} failed${speed}`, io);
    }
  }

  return {
    /** Starts the clock, once the model is loaded. */
    begin(info: ModelInfo): void {
      started = performance.now();
      model = info;
    },
    done(line: number, id: string, result: Pick<SynthesisResult, 'audioSeconds' | 'end' | 'warnings'>): void {
      counts.done += 1;
      if (result.warnings.length > 0) counts.warned += 1;
      for (const warning of result.warnings) {
        const known = warnings.get(warning);
        if (known !== undefined) known.more += 1;
        else if (warnings.size < shownFailures) warnings.set(warning, { subject: nameLine(line, id), more: 0 });
        else unlisted += 1;
      }
      if (result.end === 'limit') counts.limited += 1;
      audioSeconds += result.audioSeconds;
      show();
    },
    skipped(): void {
      counts.skipped += 1;
      show();
    },
    failed(line: number, id: string | null, { code, message }: SvcError): void {
      counts.failed += 1;
      codes.add(code);
      if (failures.length < shownFailures) failures.push([line, `${nameLine(line, id)}: ${message}`]);
      show();
    },
    /** `12 of 100 lines`. */
    describe: (): string => `${counts.done + counts.skipped} of ${total} lines`,
    /** Clears the progress bar. */
    stop: (): void => bar?.stop(),
    /** Prints the report, once every line has its outcome. @throws SvcError of failed lines, as `tryLines` */
    report(manifestPath: string): void {
      const { limited, failed } = counts;
      const warn = (message: string): void => void (quiet || printWarning(message, io));
      if (limited > 0) warn(`${limited} of ${total} lines reached their maximum length and may be cut off`);
      for (const [warning, { subject, more }] of warnings) {
        warn(`${subject}${more > 0 ? ` and ${more} more` : ''}: ${warning}`);
      }
      if (unlisted > 0) warn(`${unlisted} more warnings are in ${manifestPath}`);
      for (const [, failure] of failures.sort(([a], [b]) => a - b)) printError(failure, io);
      if (failed > failures.length) printError(`${failed - failures.length} more failures are in ${manifestPath}`, io);
      summarize(manifestPath);
      if (failed === 0) return;
      const [code = 'INTERNAL'] = codes.size === 1 ? codes : [];
      throw new SvcError(code, `${failed} of ${total} lines failed; see ${manifestPath}`);
    },
  };
}

const shownLength = 40;

export function nameLine(line: number, id: string | null): string {
  if (id === null) return `line ${line}`;
  return `line ${line} (${id.length > shownLength ? `${id.slice(0, shownLength)}…` : id})`;
}
