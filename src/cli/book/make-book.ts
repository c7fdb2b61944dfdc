/** Makes a book: speaks the chapters that are missing, then writes what is left to write. */
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { ListedChapter } from '../../book/list-chapters.ts';
import type { Engine } from '../../engine/engine.ts';
import { quote } from '../../messages.ts';
import type { Io } from '../io.ts';
import { loadVoices } from '../options/voice-choice.ts';
import { type FileLevels, fileLevels, loudnessWarnings, targetOf } from '../output/loudness.ts';
import { printNote } from '../output/messages.ts';
import { createProgress } from '../output/progress.ts';
import { formatSeconds } from '../output/units.ts';
import { aboutRecordings } from '../output/warnings.ts';
import { fileSize, type WorkFolder } from '../resume/work-folder.ts';
import { timeChapters, writeBookCaptions, writeChapterLists } from './book-captions.ts';
import { chapterFileName } from './book-output.ts';
import { leveledFiles, type MadeChapter, madeChapterSchema, reportBook } from './book-report.ts';
import { withBookVoice } from './book-voice.ts';
import type { BookPlan } from './plan-book.ts';
import { type ChapterSpeaking, chapterName, isOf, isWhole, pcm, speakChapter } from './speak-chapter.ts';
import { lexiconOf, pauseAfterChapter } from './voiced-book.ts';
import { type BookWriting, markChapters, writeChapters } from './write-book.ts';

type BookRun = BookPlan & { readonly work: WorkFolder };

/** @throws SvcError; finished sections and chapters stay in the work folder */
export async function makeBook(engine: Engine, plan: BookRun, io: Io): Promise<void> {
  const { options, output, chosen, tags, fields, work, warner } = plan;
  const started = performance.now();
  const voice = await loadVoices(engine, { own: plan.voice, named: plan.named }, plan.voices, io.signal);
  const seed = await work.seed(fields.seed ?? voice.request.seed);
  const unvoiced = { ...fields, ...voice.request, seed };
  warner.report([...voice.warnings, ...aboutRecordings(engine.info, unvoiced, options)]);
  const takes = await chooseTakes(plan);
  const kept = await readKept(plan);
  if (work.isResumed && !options.quiet) {
    const finished = kept.filter((chapter) => chapter !== undefined).length;
    printNote(`resuming: ${finished} of ${chosen.length} chapters are finished`, io);
  }
  const request = { ...(await withBookVoice(engine, unvoiced, plan.opening, work, io.signal)), seed };
  const sampleRate = engine.info.outputSampleRate;
  const { headSilence, tailSilence } = options;
  const loudness = targetOf(options);
  const writing: BookWriting = {
    ...{ work, sampleRate, format: output.format, signal: io.signal, headSilence, tailSilence },
    loudness,
  };
  using progress = options.quiet ? undefined : createProgress(io.stderr);
  const total = chosen.reduce((sum, chapter) => sum + chapter.characters, 0);
  let characters = 0;
  let spokenSamples = 0;
  const made: MadeChapter[] = [];
  for (const [place, chapter] of chosen.entries()) {
    const index = chapter.number - 1;
    const label = `chapter ${place + 1} of ${chosen.length}`;
    const before = characters;
    const speaking: ChapterSpeaking = {
      engine,
      request: { ...request, lexicon: lexiconOf(plan.cast, chapter.number, request.lexicon) },
      work,
      options,
      take: takes[chapter.number] ?? 1,
      onProgress: (count) => progress?.update(label, (before + count) / total),
      onSpoken: (samples) => {
        spokenSamples += samples;
      },
    };
    const audio = kept[place] ?? { ...(await speakChapter(chapter, index, speaking, io)), title: chapter.title };
    const finished = output.kind === 'folder' ? await writeChapter(audio, index, plan, writing) : audio;
    if (options.verbose && kept[place] === undefined)
      printNote(`${label}: ${chapter.title} (${formatSeconds(audio.samples / sampleRate)})`, io);
    warner.report(finished.warnings);
    if (finished.isCut)
      warner.report([`a part of the chapter ${quote(chapter.title)} reached its maximum length and may be cut off`]);
    made.push(finished);
    characters += chapter.characters;
  }
  const inFile = made.map((audio, place) => {
    const { number } = chosen[place] as ListedChapter;
    return { ...audio, index: number - 1, pauseSeconds: pauseAfterChapter(plan.cast, number) };
  });
  const marks = markChapters(inFile, writing);
  const timed = timeChapters(made, marks, output, options, sampleRate);
  await writeBookCaptions(made, timed, options, io.stdout);
  warner.report(await writeChapterLists(timed, options));
  let levels: FileLevels | undefined;
  if (output.kind === 'file') {
    const content = { chapters: inFile, tags: { ...tags, chapters: marks } };
    const label = `writing ${output.path}`;
    levels = await writeFile(output.path, content, writing, (share) => progress?.update(label, share));
  }
  if (loudness !== undefined) {
    for (const [path, own] of leveledFiles(output.path, levels, made))
      warner.report(loudnessWarnings(path, own, loudness));
  }
  progress?.complete();
  progress?.stop();
  const keepsParts = options.keepParts === true || plan.again.size > 0;
  if (!keepsParts) await work.discard();
  const seconds = (performance.now() - started) / 1000;
  const { left } = plan;
  const times = { seconds, spokenSamples };
  reportBook({ info: engine.info, options, output, seed, marks, made, ...times, levels, left, warner }, io);
}

/** Which take of each chapter is spoken, by its number: the first, or a later one of chapters that were spoken again. */
async function chooseTakes({ work, again }: BookRun): Promise<Readonly<Record<number, number>>> {
  const takes: Record<number, number> = { ...(await work.read(takesName, takesSchema)) };
  if (again.size === 0) return takes;
  for (const number of again) takes[number] = (takes[number] ?? 1) + 1;
  await work.keep(takesName, takes);
  const names = [...again].map((number) => chapterName(number - 1));
  await work.removeAll((file) => names.some((name) => file.startsWith(`${name}.`) || file.startsWith(`${name}-`)));
  return takes;
}

const takesName = 'takes';
const takesSchema = z.record(z.string().regex(/^\d{1,6}$/), z.int().min(1));

async function writeFile(...given: Parameters<typeof writeChapters>): Promise<FileLevels | undefined> {
  const levels = await writeChapters(...given);
  return levels && fileLevels(levels);
}

/** Writes the file of a chapter, unless an earlier run has. */
async function writeChapter(
  audio: MadeChapter,
  index: number,
  { output, chapters, tags, work }: BookRun,
  writing: BookWriting,
): Promise<MadeChapter> {
  if (audio.file !== undefined || output.kind === 'file') return audio;
  const { title, samples } = audio;
  const file = chapterFileName(index, chapters.length, title, output.format);
  const track = { number: index + 1, total: chapters.length };
  const content = { chapters: [{ index, title, samples }], tags: { ...tags, title, album: tags.title, track } };
  const levels = await writeFile(resolve(output.path, file), content, writing, () => undefined);
  const written = { ...audio, file, bytes: await fileSize(resolve(output.path, file)), levels };
  await work.keep(chapterName(index), written);
  await work.remove([pcm(chapterName(index))]);
  return written;
}

/** The chapters of an earlier run whose audio is complete. */
async function readKept({ work, chapters, chosen, output }: BookRun): Promise<readonly (MadeChapter | undefined)[]> {
  const kept: (MadeChapter | undefined)[] = [];
  for (const { number, title, sections } of chosen) {
    const index = number - 1;
    const name = chapterName(index);
    const chapter = await work.read(name, madeChapterSchema);
    const file = output.kind === 'folder' ? chapterFileName(index, chapters.length, title, output.format) : undefined;
    const fits =
      chapter !== undefined &&
      [undefined, file].includes(chapter.file) &&
      isOf(chapter, sections) &&
      (chapter.file === undefined
        ? await isWhole(chapter, work.path(pcm(name)))
        : (await fileSize(resolve(output.path, chapter.file))) === chapter.bytes);
    kept.push(fits ? { ...chapter, title } : undefined);
  }
  return kept;
}
