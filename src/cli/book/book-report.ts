/** Report of a run on a finished book. */
import { z } from 'zod';
import type { ChapterMark } from '../../audio/encode/tags.ts';
import type { Book } from '../../book/book.ts';
import { describeLeftOut } from '../../book/left-out.ts';
import type { ModelInfo } from '../../engine/backend.ts';
import type { Io } from '../io.ts';
import { describeLevels, type FileLevels, fileLevelsSchema } from '../output/loudness.ts';
import { printNote } from '../output/messages.ts';
import { formatRtf, formatSeconds, round } from '../output/units.ts';
import type { Warner } from '../output/warnings.ts';
import type { BookOptions } from './book-options.ts';
import type { BookOutput } from './book-output.ts';
import { keptAudioSchema } from './speak-chapter.ts';

/** A finished chapter without its title, which is that of the book. In a folder of chapters, it has a file. */
export const madeChapterSchema = keptAudioSchema.extend({
  file: z.string().optional(),
  bytes: z.int().optional(),
  /** Levels of its file, if its loudness was set. */
  levels: fileLevelsSchema.optional(),
});
export type MadeChapter = Readonly<z.infer<typeof madeChapterSchema>> & { readonly title: string };

interface BookOutcome {
  readonly options: BookOptions;
  readonly output: BookOutput;
  /** Parts of the book that are not read. */
  readonly left: Pick<Book, 'leftOut' | 'firstLeftOut'>;
  readonly warner: Warner;
  readonly info: ModelInfo;
  readonly seed: number;
  /** Where the chapters of a single file are. */
  readonly marks: readonly ChapterMark[];
  readonly made: readonly MadeChapter[];
  readonly seconds: number;
  /** Samples that this run has spoken. */
  readonly spokenSamples: number;
  /** Levels of a single file, if its loudness was set. */
  readonly levels: FileLevels | undefined;
}

/** The files that were brought to a loudness: of the book, or of its chapters. */
export const leveledFiles = (path: string, levels: FileLevels | undefined, made: readonly MadeChapter[]) =>
  [{ file: path, levels }, ...made].flatMap(({ file, levels: own }) =>
    file === undefined || own === undefined ? [] : [[file, own] as const],
  );

/** Prints a JSON line with `--json`, else a line for people. */
export function reportBook(
  { info, options, output, seed, marks, made, seconds, spokenSamples, levels, left, warner }: BookOutcome,
  io: Io,
): void {
  const { outputSampleRate: sampleRate, name, device } = info;
  const { headSilence = 0, tailSilence = 0 } = options;
  const durations = made.map(({ samples }) => headSilence + samples / sampleRate + tailSilence);
  const audioSeconds =
    output.kind === 'file' ? (marks.at(-1)?.end ?? 0) : durations.reduce((sum, duration) => sum + duration, 0);
  // Real-time factor of what this run has spoken.
  const rtf = spokenSamples === 0 ? null : seconds / (spokenSamples / sampleRate);
  if (options.json) {
    const chapters = made.map(({ title, file, levels: own }, index) =>
      file === undefined
        ? { title, start: round(marks[index]?.start ?? 0, 3), end: round(marks[index]?.end ?? 0, 3) }
        : { title, start: 0, end: round(durations[index] ?? 0, 3), file, ...(own && { levels: own }) },
    );
    const line = {
      audioSeconds: round(audioSeconds, 3),
      seconds: round(seconds, 3),
      rtf: rtf === null ? null : round(rtf, 3),
      patches: made.reduce((sum, { patches }) => sum + patches, 0),
      parts: made.reduce((sum, { parts }) => sum + parts, 0),
      seed,
      sampleRate,
      model: name,
      backend: device,
      output: output.path,
      ...(levels && { levels }),
      chapters,
      ...left,
      warnings: warner.reported,
    };
    (options.captions === '-' ? io.stderr : io.stdout).write(`${JSON.stringify(line)}\n`);
  } else if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) {
    const times = `${made.length} chapters, ${formatSeconds(audioSeconds)} of speech in ${formatSeconds(seconds)}`;
    printNote(`${output.path}: ${times}${rtf === null ? '' : ` (${formatRtf(rtf)})`}, seed ${seed}`, io);
    for (const [path, own] of leveledFiles(output.path, levels, made)) printNote(`${path}: ${describeLevels(own)}`, io);
    const places = describeLeftOut(left);
    if (places !== undefined) printNote(places, io);
  }
}
