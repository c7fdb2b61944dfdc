/** Writes the spoken chapters to their files. */
import { readPcmFile } from '../../audio/encode/pcm-file.ts';
import { createTaggedFile, type TaggedFormatName } from '../../audio/encode/tagged-file.ts';
import type { AudioTags, ChapterMark } from '../../audio/encode/tags.ts';
import { moveInPlace, partialOutput, type WorkFolder } from '../resume/work-folder.ts';
import { chapterName, pcm } from './speak-chapter.ts';

/** Silence between two chapters of a file. */
const chapterPauseSeconds = 1.5;

export interface BookWriting {
  readonly work: WorkFolder;
  readonly sampleRate: number;
  readonly format: TaggedFormatName;
  readonly signal: AbortSignal;
}

/** Where chapters are in a file of all: each lasts until the next begins. */
export function markChapters(
  chapters: readonly { readonly title: string; readonly samples: number }[],
  sampleRate: number,
): readonly ChapterMark[] {
  let end = 0;
  return chapters.map(({ title, samples }, index) => {
    const start = end;
    end += samples + (index === chapters.length - 1 ? 0 : pauseSamples(sampleRate));
    return { title, start: start / sampleRate, end: end / sampleRate };
  });
}

const pauseSamples = (sampleRate: number): number => Math.round(chapterPauseSeconds * sampleRate);

/**
 * Writes chapters to one file.
 *
 * @param indexes 0-based numbers of the chapters
 * @param onProgress called with the number of samples that are written
 */
export async function writeChapters(
  path: string,
  {
    indexes,
    samples,
    tags,
  }: { readonly indexes: readonly number[]; readonly samples: number; readonly tags: AudioTags },
  { work, sampleRate, format, signal }: BookWriting,
  onProgress: (samples: number) => void,
): Promise<void> {
  const partial = work.path(partialOutput);
  const pause = pauseSamples(sampleRate);
  const total = samples + pause * (indexes.length - 1);
  const file = await createTaggedFile(partial, { format, sampleRate, samples: total, tags });
  let written = 0;
  const write = async (piece: Float32Array): Promise<void> => {
    signal.throwIfAborted();
    await file.write(piece);
    written += piece.length;
    onProgress(written);
  };
  try {
    for (const [position, index] of indexes.entries()) {
      if (position > 0) await write(new Float32Array(pause));
      for await (const piece of readPcmFile(work.path(pcm(chapterName(index))))) await write(piece);
    }
    await file.finish();
  } catch (error) {
    await file.abort();
    throw error;
  }
  await moveInPlace(partial, path);
}
