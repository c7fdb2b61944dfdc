/** What a batch has come to: counted, shown while it runs, reported at its end. */
import { performance } from 'node:perf_hooks';
import type { ModelInfo } from '../../engine/backend.ts';
import { SvcError } from '../../errors.ts';
import type { Io } from '../io.ts';
import type { OutputOptions } from '../options/options.ts';
import { createProgress } from '../output/progress.ts';
import type { Take } from './studio.ts';

/** Failures, and kinds of warnings, that the end of a run names; the manifest has all of them. */
const shownFailures = 20;

export interface Tally {
  /** The model is loaded: from now on time counts. */
  begin(info: ModelInfo): void;
  done(line: number, id: string, take: Pick<Take, 'audioSeconds' | 'end' | 'warnings'>): void;
  skipped(): void;
  failed(line: number, id: string | null, problem: SvcError): void;
  /** `12 of 100 utterances`. */
  progress(): string;
  /** Takes the bar away. */
  stop(): void;
  /**
   * Tells how it went, once every line has its outcome.
   *
   * @throws SvcError when something failed: with the code that all failures have, else INTERNAL
   */
  report(manifestPath: string): void;
}

export interface TallyOptions extends Pick<OutputOptions, 'json' | 'verbose' | 'quiet'> {
  readonly maxBatch: number;
}

export function createTally(total: number, { json, verbose, quiet, maxBatch }: TallyOptions, io: Io): Tally {
  const bar = quiet ? undefined : createProgress(io.stderr);
  const codes = new Set<SvcError['code']>();
  const failures: [line: number, message: string][] = [];
  const counts = { done: 0, skipped: 0, failed: 0, limited: 0, warned: 0 };
  /** By their text: the first line that each is about, and how many more. */
  let unlisted = 0;
  const warnings = new Map<string, { readonly subject: string; more: number }>();
  let audioSeconds = 0;
  let started: number | undefined;
  let model: ModelInfo | undefined;

  const note = (message: string): void => void io.stderr.write(`svc: ${message}\n`);
  const seconds = (): number => (started === undefined ? 0 : (performance.now() - started) / 1000);
  const rtf = (): number | null => (audioSeconds === 0 ? null : round(seconds() / audioSeconds, 3));
  const show = (): void => {
    const notes = [rtf() === null ? '' : `, RTF ${rtf()}`, counts.failed === 0 ? '' : `, ${counts.failed} failed`];
    bar?.update(`speaking${notes.join('')}`, counts.done + counts.skipped + counts.failed, total);
  };
  show();

  function summarize(manifest: string): void {
    const audio = round(audioSeconds, 4);
    if (json) {
      const { name = null, device = null } = model ?? {};
      const times = { audioSeconds: audio, seconds: round(seconds(), 3), rtf: rtf() };
      const line = { utterances: total, ...counts, ...times, maxBatch, model: name, backend: device, manifest };
      io.stdout.write(`${JSON.stringify(line)}\n`);
    } else if (verbose || (io.stderr.isTTY === true && !quiet)) {
      const speed = rtf() === null ? '' : `, ${audio} s of speech in ${round(seconds(), 2)} s (RTF ${rtf()})`;
      note(`${counts.done} spoken, ${counts.skipped} made before, ${counts.failed} failed${speed}`);
    }
  }

  return {
    begin(info) {
      started = performance.now();
      model = info;
    },
    done(line, id, take) {
      counts.done += 1;
      if (take.warnings.length > 0) counts.warned += 1;
      for (const warning of take.warnings) {
        const known = warnings.get(warning);
        if (known !== undefined) known.more += 1;
        else if (warnings.size < shownFailures) warnings.set(warning, { subject: `line ${line} (${id})`, more: 0 });
        else unlisted += 1;
      }
      if (take.end === 'limit') counts.limited += 1;
      audioSeconds += take.audioSeconds;
      show();
    },
    skipped() {
      counts.skipped += 1;
      show();
    },
    failed(line, id, { code, message }) {
      counts.failed += 1;
      codes.add(code);
      const subject = id === null ? `line ${line}` : `line ${line} (${id})`;
      if (failures.length < shownFailures) failures.push([line, `${subject}: ${message.replace(/\s+/g, ' ')}`]);
      show();
    },
    progress: () => `${counts.done + counts.skipped} of ${total} utterances`,
    stop: () => bar?.stop(),
    report(manifestPath) {
      const { limited, failed } = counts;
      if (limited > 0 && !quiet) note(`warning: ${limited} of ${total} reached their limit and may be cut off`);
      for (const [warning, { subject, more }] of quiet ? [] : warnings) {
        note(`warning: ${subject}${more > 0 ? ` and ${more} more` : ''}: ${warning}`);
      }
      if (unlisted > 0 && !quiet) note(`warning: and ${unlisted} more, see ${manifestPath}`);
      for (const [, failure] of failures.sort(([a], [b]) => a - b)) note(failure);
      if (failed > failures.length) note(`and ${failed - failures.length} more, see ${manifestPath}`);
      summarize(manifestPath);
      if (failed === 0) return;
      const [code = 'INTERNAL'] = codes.size === 1 ? codes : [];
      const received = `${failed} ${failed === 1 ? 'failure' : 'failures'}`;
      throw new SvcError(code, `expected speech for all ${total} lines, received ${received}, see ${manifestPath}`);
    },
  };
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
