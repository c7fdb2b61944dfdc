/** Captions of a book, for the whole and for each chapter, and lists of where chapters begin. */
import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { ChapterMark } from '../../audio/encode/tags.ts';
import { captionFormats } from '../../captions/captions.ts';
import {
  type ChapterListFormat,
  chapterListFormats,
  formatChapterList,
  type TimedChapter,
  youtubeProblem,
} from '../../captions/chapter-list.ts';
import { shifted } from '../../engine/timing/timed-text.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf, replaceWhole } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { writeCaptions } from '../../speech-files/captions-file.ts';
import { requestError } from '../../validation.ts';
import { checkCaptions, requireFolderFor } from '../output/output.ts';
import type { BookOptions } from './book-options.ts';
import type { BookOutput } from './book-output.ts';
import type { MadeChapter } from './book-report.ts';

/** The captions of each chapter beside its file, where `--captions` names a format alone. */
const formatAlone = (captions: string | undefined): string | undefined =>
  captionFormats.find((name) => name === captions?.toLowerCase());

/** @throws SvcError INVALID_REQUEST when the options do not fit together */
export async function checkBookCaptions(options: BookOptions, output: BookOutput): Promise<void> {
  const { captions, chapterList = [] } = options;
  for (const path of chapterList) {
    chapterListFormatOf(path);
    await requireFolderFor(path, '--chapter-list');
  }
  const format = formatAlone(captions);
  if (format === undefined) {
    await checkCaptions(options, { kind: 'file', path: output.path, format: 'wav', sampleFormat: 's16' });
    return;
  }
  if (output.kind === 'file')
    throw requestError(`--captions ${format} needs a folder of chapters; name a file such as book.${format}`);
  await checkCaptions(
    { ...options, captions: `./chapter.${format}` },
    { ...output, kind: 'file', sampleFormat: 's16' },
  );
}

function chapterListFormatOf(path: string): ChapterListFormat {
  const format = chapterListFormats.find((name) => `.${name}` === extname(path).toLowerCase());
  if (format !== undefined) return format;
  throw requestError(`--chapter-list must end in .${chapterListFormats.join(' or .')}, got ${quote(path)}`);
}

/** Where chapters are in a file of all; of a folder, where they are when its files are played in order. */
export function timeChapters(
  made: readonly MadeChapter[],
  marks: readonly ChapterMark[],
  output: BookOutput,
  { headSilence = 0, tailSilence = 0 }: BookOptions,
  sampleRate: number,
): readonly TimedChapter[] {
  if (output.kind === 'file') return marks;
  let end = 0;
  return made.map(({ title, samples }) => {
    const start = end;
    end += headSilence + samples / sampleRate + tailSilence;
    return { title, start, end };
  });
}

/** Captions whose path is `-` go to `stdout`. @throws SvcError IO */
export async function writeBookCaptions(
  made: readonly MadeChapter[],
  timed: readonly TimedChapter[],
  options: BookOptions,
  stdout: NodeJS.WritableStream,
): Promise<void> {
  const { captions, output: folder = '', headSilence: head = 0, captionWords } = options;
  const format = formatAlone(captions);
  if (format === undefined) {
    // The silence at the head of a single file is within its first chapter, and within each file of a folder.
    const headOf = (index: number): number => (index === 0 || made[index]?.file !== undefined ? head : 0);
    const sentences = made.flatMap(({ sentences: own }, index) =>
      shifted(own, (timed[index]?.start ?? 0) + headOf(index)),
    );
    await writeCaptions(sentences, options, stdout);
    return;
  }
  for (const { file = '', sentences } of made) {
    const path = join(folder, `${file.slice(0, file.length - extname(file).length)}.${format}`);
    await writeCaptions(shifted(sentences, head), { captions: path, captionWords });
  }
}

/** Returns warnings about lists that YouTube would not take. @throws SvcError IO */
export async function writeChapterLists(
  timed: readonly TimedChapter[],
  { chapterList = [] }: BookOptions,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const path of chapterList) {
    const format = chapterListFormatOf(path);
    try {
      await replaceWhole(path, (partial) => writeFile(partial, formatChapterList(timed, format)));
    } catch (cause) {
      throw new SvcError('IO', `cannot write ${quote(path)}: ${reasonOf(cause)}`, { cause });
    }
    const problem = format === 'txt' ? youtubeProblem(timed) : undefined;
    if (problem !== undefined) warnings.push(`${quote(path)}: ${problem}`);
  }
  return warnings;
}
