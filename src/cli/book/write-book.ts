/** Writes the spoken chapters to their files. */
import type { Levels } from '../../audio/analyze/levels.ts';
import { readPcmFile } from '../../audio/encode/pcm-file.ts';
import { createTaggedFile, type TaggedFormatName } from '../../audio/encode/tagged-file.ts';
import type { AudioTags, ChapterMark } from '../../audio/encode/tags.ts';
import { encoderGain } from '../../audio/loudness/loudness-target.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { moveInPlace, partialOutput, type WorkFolder } from '../resume/work-folder.ts';
import { chapterName, pcm } from './speak-chapter.ts';

/** Silence between two chapters of a file. */
const chapterPauseSeconds = 1.5;

/** The loudness and silences are those of each file. */
export interface BookWriting extends Pick<OutputOptions, 'loudness' | 'headSilence' | 'tailSilence'> {
  readonly work: WorkFolder;
  readonly sampleRate: number;
  readonly format: TaggedFormatName;
  readonly signal: AbortSignal;
}

type Silences = Pick<BookWriting, 'sampleRate' | 'headSilence' | 'tailSilence'>;

export interface FileChapter {
  /** 0-based number in the book. */
  readonly index: number;
  readonly title: string;
  readonly samples: number;
  /** Silence before the next chapter of the file. */
  readonly pauseSeconds?: number | undefined;
}

/** Where chapters are in a file of all: each lasts until the next begins. */
export function markChapters(
  chapters: readonly Omit<FileChapter, 'index'>[],
  { sampleRate, headSilence = 0, tailSilence = 0 }: Silences,
): readonly ChapterMark[] {
  const last = chapters.length - 1;
  let end = 0;
  return chapters.map(({ title, samples, pauseSeconds = chapterPauseSeconds }, index) => {
    const start = end;
    end += samples + (index === 0 ? samplesIn(headSilence, sampleRate) : 0);
    end += samplesIn(index === last ? tailSilence : pauseSeconds, sampleRate);
    return { title, start: start / sampleRate, end: end / sampleRate };
  });
}

const samplesIn = (seconds: number, sampleRate: number): number => Math.round(seconds * sampleRate);

/** Writes chapters to one file; reports the share that is written. @returns its levels, if its loudness was set */
export async function writeChapters(
  path: string,
  { chapters, tags }: { readonly chapters: readonly FileChapter[]; readonly tags: AudioTags },
  writing: BookWriting,
  onProgress: (share: number) => void,
): Promise<Levels | undefined> {
  const { work, sampleRate, format, signal, loudness } = writing;
  const partial = work.path(partialOutput);
  const read = (): AsyncIterable<Float32Array> => audioOf(chapters, writing);
  const setting = loudness && (await import('../../audio/loudness/set-loudness.ts'));
  const leveled = loudness && (await setting?.setLoudness(read, sampleRate, loudness, encoderGain(format)));
  const total = Math.round((markChapters(chapters, writing).at(-1)?.end ?? 0) * sampleRate);
  const file = await createTaggedFile(partial, { format, sampleRate, samples: total, tags });
  let written = 0;
  try {
    for await (const piece of leveled?.samples() ?? read()) {
      signal.throwIfAborted();
      await file.write(piece);
      written += piece.length;
      onProgress(written / total);
    }
    await file.finish();
  } catch (error) {
    await file.abort();
    throw error;
  }
  await moveInPlace(partial, path);
  return leveled?.levels;
}

async function* audioOf(
  chapters: readonly FileChapter[],
  { work, sampleRate, signal, headSilence = 0, tailSilence = 0 }: BookWriting,
): AsyncGenerator<Float32Array> {
  const silence = (seconds: number): Float32Array => new Float32Array(samplesIn(seconds, sampleRate));
  if (headSilence > 0) yield silence(headSilence);
  for (const [place, { index, pauseSeconds = chapterPauseSeconds }] of chapters.entries()) {
    for await (const piece of readPcmFile(work.path(pcm(chapterName(index))))) {
      signal.throwIfAborted();
      yield piece;
    }
    if (place < chapters.length - 1) yield silence(pauseSeconds);
  }
  if (tailSilence > 0) yield silence(tailSilence);
}
