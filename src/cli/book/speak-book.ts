/** The work of `svc tts --text-file book.epub`: speak the chapters that are missing, then write the book. */

import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openTaggedEncoder } from '../../audio/tagged-file.ts';
import type { AudioTags, ChapterMark } from '../../audio/tags.ts';
import { type Book, readEpub } from '../../book/epub.ts';
import { type SpokenChapter, sectionsOf } from '../../book/sections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ResolvedRequest } from '../../engine/request.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { makeFolder, reasonOf, refuseIrregular } from '../../files.ts';
import { quote, requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { chooseEngine } from '../model/model-choice.ts';
import { partsAtOnce } from '../model/parts-at-once.ts';
import { chooseRecognizer } from '../options/recognizer.ts';
import { readFields, transcribePrompt } from '../options/request-fields.ts';
import { checkVoice, loadVoiceOption } from '../options/voice-choice.ts';
import { checkCaptions, writeCaptions } from '../output/captions.ts';
import { withExclusive } from '../output/exclusive.ts';
import { printNote } from '../output/messages.ts';
import { createProgress } from '../output/progress.ts';
import { formatRtf, formatSeconds } from '../output/units.ts';
import { aboutRecordings, createWarner, type Warner } from '../output/warnings.ts';
import { chooseCover } from './book-cover.ts';
import { hashBook } from './book-hash.ts';
import { type BookOptions, checkBookOptions } from './book-options.ts';
import { type BookOutput, chapterFileName, resolveBookOutput } from './book-output.ts';
import { withBookVoice } from './book-voice.ts';
import { chapterName, type KeptAudio, pcm, shifted, speakChapter } from './speak-chapter.ts';
import { openWorkFolder, type WorkFolder } from './work-folder.ts';
import { fileSize, markChapters, writeChapters } from './write-book.ts';

/** @throws SvcError; what is finished stays in the work folder, and running the command again resumes */
export async function speakBook(options: BookOptions, io: Io): Promise<void> {
  checkBookOptions(options);
  const output = await resolveBookOutput(options);
  checkCaptions(options, { kind: 'file', path: output.path, format: 'wav', sampleFormat: 's16' });
  await checkVoice(options, io);
  const recognize = await chooseRecognizer(options, io);
  const { request: incomplete, warnings } = await readFields(options, recognize, io);
  const book = await readBook(options.textFile);
  const warner = createWarner(options, io);
  const cover = await chooseCover(options, book);
  const chapters = readableChapters(book, options, warner);
  warner.tell([...warnings, ...cover.warnings]);
  const tags: AudioTags = { title: book.title, artist: book.author, picture: cover.picture };
  // A package that is missing is found before hours of speech.
  (await openTaggedEncoder({ format: output.format, sampleRate: usualRate, samples: 0, tags })).close();
  const chosen = await chooseEngine(options, io);
  const fields = await transcribePrompt(incomplete, options, recognize, io);
  const hash = await hashBook(options, { modelPath: chosen.modelPath, output, fields }, io);
  if (output.kind === 'folder') await makeFolder(output.path);
  await withExclusive(resolve(output.workFolder), quote(output.path), io.signal, async (signal) => {
    const work = await openWorkFolder(output.workFolder, hash);
    const making = { options, output, chapters, tags, fields, work, warner };
    try {
      const engine = await io.openEngine({ ...chosen, maxBatch: partsAtOnce }, { recognize });
      try {
        await makeBook(engine, making, { ...io, signal });
      } finally {
        await engine.close();
      }
    } catch (error) {
      const { code, message } = toSvcError(error);
      const isKept = await work.discardIfEmpty();
      throw isKept ? new SvcError(code, `${message}; run the same command again to resume`, { cause: error }) : error;
    }
  });
}

/** Hz; a rate that all formats support. */
const usualRate = 48_000;

async function readBook(path: string): Promise<Book> {
  await refuseIrregular(path, (kind) => requestError(`cannot read the book ${quote(path)}: it is ${kind}`));
  try {
    return await readEpub(path);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw requestError(`cannot read the book ${quote(path)}: ${reasonOf(error)}`);
  }
}

function readableChapters(book: Book, { textFile }: BookOptions, warner: Warner): readonly SpokenChapter[] {
  const chapters: SpokenChapter[] = [];
  for (const chapter of book.chapters.map(sectionsOf)) {
    if ('sections' in chapter) chapters.push(chapter);
    else warner.tell([`the chapter ${quote(chapter.title)} ${chapter.reason} and is left out`]);
  }
  if (chapters.length === 0) throw requestError(`the book ${quote(textFile)} has nothing to speak`);
  return chapters;
}

interface Making {
  readonly options: BookOptions;
  readonly output: BookOutput;
  readonly chapters: readonly SpokenChapter[];
  readonly tags: AudioTags;
  readonly fields: ResolvedRequest;
  readonly work: WorkFolder;
  readonly warner: Warner;
}

/** A chapter that is finished. In a folder it has a file. */
interface KeptChapter extends KeptAudio {
  readonly file?: string;
  readonly bytes?: number;
}

async function makeBook(engine: Engine, making: Making, io: Io): Promise<void> {
  const { options, output, chapters, tags, fields, work, warner } = making;
  const started = performance.now();
  const voice = await loadVoiceOption(engine, options, io);
  const { text: _, ...rest } = fields;
  const seed = await work.seed(fields.seed ?? voice.request.seed);
  const unvoiced = { ...rest, ...voice.request, seed };
  warner.tell([...voice.warnings, ...aboutRecordings(engine.info, unvoiced)]);
  const kept = await readKept(making);
  const finished = kept.filter((chapter) => chapter !== undefined).length;
  if (work.isResumed && !options.quiet) {
    printNote(`resuming: ${finished} of ${chapters.length} chapters are finished`, io);
  }
  const opening = chapters[0]?.sections[0]?.text ?? '';
  const request = await withBookVoice(engine, unvoiced, opening, work, io.signal);
  const sampleRate = engine.info.outputSampleRate;
  const progress = options.quiet ? undefined : createProgress(io.stderr);
  const total = chapters.reduce((sum, chapter) => sum + charactersOf(chapter), 0);
  let characters = 0;
  let spokenSamples = 0;
  const done: KeptChapter[] = [];
  const writing = { work, sampleRate, format: output.format, signal: io.signal };
  try {
    for (const [index, chapter] of chapters.entries()) {
      const { title } = chapter;
      const label = `chapter ${index + 1} of ${chapters.length}`;
      const before = characters;
      const onProgress = (count: number): void => progress?.update(label, (before + count) / total);
      onProgress(0);
      let audio = kept[index];
      if (audio === undefined) {
        const onSpoken = (samples: number): void => {
          spokenSamples += samples;
        };
        const speaking = { engine, request: { ...request, seed }, work, options, onProgress, onSpoken };
        audio = await speakChapter(chapter, index, speaking, io);
        if (options.verbose) printNote(`${label}: ${title} (${formatSeconds(audio.samples / sampleRate)})`, io);
      }
      if (output.kind === 'folder' && audio.file === undefined) {
        const file = chapterFileName(index, chapters.length, title, output.format);
        const path = resolve(output.path, file);
        const track = { number: index + 1, total: chapters.length };
        const { samples } = audio;
        const own = { ...tags, title, album: tags.title, track };
        await writeChapters(path, { indexes: [index], samples, tags: own }, writing, () => undefined);
        audio = { ...audio, file, bytes: await fileSize(output.path, file) } as KeptChapter;
        await work.keep(chapterName(index), audio);
        await work.remove([pcm(chapterName(index))]);
      }
      warner.tell(audio.warnings);
      if (audio.isCut)
        warner.tell([`a part of the chapter ${quote(title)} reached its maximum length and may be cut off`]);
      done.push(audio);
      characters += charactersOf(chapter);
    }
    const titled = done.map((audio, index) => ({ ...audio, title: chapters[index]?.title ?? '' }));
    const marks = markChapters(titled, sampleRate);
    if (output.kind === 'file') {
      const samples = done.reduce((sum, audio) => sum + audio.samples, 0);
      const label = `writing ${output.path}`;
      await writeCaptions(
        done.flatMap(({ sentences }, index) => shifted(sentences, marks[index]?.start ?? 0)),
        { ...options, speed: 1 },
      );
      const content = { indexes: [...chapters.keys()], samples, tags: { ...tags, chapters: marks } };
      await writeChapters(output.path, content, writing, (count) => progress?.update(label, count / samples));
    }
    progress?.complete();
    progress?.stop();
    await work.discard();
    const seconds = (performance.now() - started) / 1000;
    report({ engine, options, output, seed, marks, titled, seconds, spokenSamples, warner }, io);
  } finally {
    progress?.stop();
  }
}

const charactersOf = ({ sections }: SpokenChapter): number =>
  sections.reduce((sum, { characters }) => sum + characters, 0);

/** The chapters of an earlier run whose audio is complete. */
async function readKept({ work, chapters, output }: Making): Promise<readonly (KeptChapter | undefined)[]> {
  const kept: (KeptChapter | undefined)[] = [];
  for (const index of chapters.keys()) {
    const name = chapterName(index);
    const chapter = await work.read<KeptChapter>(name);
    const [size, expected] =
      chapter?.file === undefined
        ? [await fileSize(work.path('.'), pcm(name)), chapter && chapter.samples * 2]
        : [await fileSize(output.path, chapter.file), chapter.bytes];
    kept.push(chapter !== undefined && size === expected ? chapter : undefined);
  }
  return kept;
}

interface Outcome {
  readonly engine: Engine;
  readonly options: BookOptions;
  readonly output: BookOutput;
  readonly seed: number;
  /** Where the chapters of a single file are. */
  readonly marks: readonly ChapterMark[];
  readonly titled: readonly (KeptChapter & { readonly title: string })[];
  readonly seconds: number;
  /** Of this run. */
  readonly spokenSamples: number;
  readonly warner: Warner;
}

function report(
  { engine, options, output, seed, marks, titled, seconds, spokenSamples, warner }: Outcome,
  io: Io,
): void {
  const { outputSampleRate: sampleRate, name, device } = engine.info;
  const durations = titled.map(({ samples }) => samples / sampleRate);
  const audioSeconds =
    output.kind === 'file' ? (marks.at(-1)?.end ?? 0) : durations.reduce((sum, duration) => sum + duration, 0);
  // Of what this run has spoken.
  const rtf = spokenSamples === 0 ? null : seconds / (spokenSamples / sampleRate);
  if (options.json) {
    const chapters = titled.map(({ title, file }, index) =>
      file === undefined
        ? { title, start: round(marks[index]?.start ?? 0), end: round(marks[index]?.end ?? 0) }
        : { title, start: 0, end: round(durations[index] ?? 0), file },
    );
    const line = {
      audioSeconds: round(audioSeconds),
      seconds: round(seconds),
      rtf: rtf === null ? null : round(rtf),
      patches: titled.reduce((sum, { patches }) => sum + patches, 0),
      parts: titled.reduce((sum, { parts }) => sum + parts, 0),
      seed,
      sampleRate,
      model: name,
      backend: device,
      output: output.path,
      chapters,
      warnings: warner.told,
    };
    io.stdout.write(`${JSON.stringify(line)}\n`);
  } else if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) {
    const times = `${titled.length} chapters, ${formatSeconds(audioSeconds)} of speech in ${formatSeconds(seconds)}`;
    printNote(`${output.path}: ${times}${rtf === null ? '' : ` (${formatRtf(rtf)})`}, seed ${seed}`, io);
  }
}

const round = (value: number): number => Number(value.toFixed(3));
