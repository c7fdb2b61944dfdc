/** The work of `svc tts --text-file book.epub`: check everything, then make the book where no other run does. */
import { readFile, rmdir } from 'node:fs/promises';
import { universalRate } from '../../audio/encode/format.ts';
import { openTaggedEncoder } from '../../audio/encode/tagged-file.ts';
import type { AudioTags } from '../../audio/encode/tags.ts';
import type { Book } from '../../book/book.ts';
import type { Cast, CastFile } from '../../book/cast.ts';
import { chooseChapters } from '../../book/chapter-numbers.ts';
import type { ListedChapter } from '../../book/list-chapters.ts';
import { asLanguage } from '../../engine/request-fields.ts';
import { mainLanguage } from '../../engine/text/language/language-reader.ts';
import { makeFolder } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { chooseLoras, requireOne } from '../model/lora-choice.ts';
import { chooseEngine, partsAtOnce } from '../model/model-choice.ts';
import { chooseRecognizer } from '../options/recognizer.ts';
import { readFields, transcribePrompt } from '../options/request-fields.ts';
import { type CommandVoices, chooseVoiceOption, openVoices } from '../options/voice-choice.ts';
import { noteDemoModel } from '../output/demo-note.ts';
import { targetOf } from '../output/loudness.ts';
import { createWarner } from '../output/warnings.ts';
import { hashRun } from '../resume/run-hash.ts';
import { withWorkFolder } from '../resume/work-folder.ts';
import { checkBookCaptions } from './book-captions.ts';
import { chooseCover } from './book-cover.ts';
import { describeChapters } from './book-list.ts';
import { type BookOptions, checkBookOptions, isEpub } from './book-options.ts';
import { resolveBookOutput } from './book-output.ts';
import { makeBook } from './make-book.ts';
import { readBook, readCast } from './read-book.ts';
import { castRevision, chooseBookVoices } from './voiced-book.ts';

/** @throws SvcError; what is finished stays in the work folder, and running the command again resumes */
export async function speakBook(given: BookOptions, io: Io): Promise<void> {
  checkBookOptions(given);
  const castFile = given.cast === undefined ? undefined : await readCast(given.cast, io.signal);
  if (given.list) return printChapters(given, castFile, io);
  await using voices = openVoices(given, io);
  const plan = await planBook(given, castFile, voices, io);
  const { options, output, again, hash, model, recognize, loras } = plan;
  const made = output.kind === 'folder' ? await makeFolder(output.path) : undefined;
  try {
    const { path, workFolder } = output;
    const resumable = { what: 'book', workFolder, output: path, hash, quiet: options.quiet } as const;
    await withWorkFolder(resumable, io, async (work, locked) => {
      if (again.size > 0 && !work.isResumed) throw requestError(nothingKept(output.path));
      const means = { recognize, loras: loras.catalog };
      await using engine = await io.openEngine({ ...model, maxBatch: partsAtOnce }, means);
      noteDemoModel(engine.info, options, io);
      await makeBook(engine, { ...plan, work }, locked);
    });
  } catch (error) {
    // Only if nothing is in it.
    if (made !== undefined) await rmdir(output.path).catch(() => undefined);
    throw error;
  }
}

export type BookPlan = Awaited<ReturnType<typeof planBook>>;

/** Checks and reads all that needs no model; the hash is that of everything that the audio depends on. @throws SvcError */
async function planBook(given: BookOptions, castFile: CastFile | undefined, voices: CommandVoices, io: Io) {
  const cast = castFile?.cast;
  const options = withNarrator(given, cast);
  requireOne(options);
  const output = await resolveBookOutput(options);
  await checkBookCaptions(options, output);
  const voice = await chooseVoiceOption(cast === undefined ? options : { ...options, voices: {} }, voices);
  const recognize = await chooseRecognizer(options, io);
  const { fields: incomplete, warnings } = await readFields(options, recognize, io);
  const warner = createWarner(options, io);
  const ownCover = options.cover === undefined ? undefined : await chooseCover(options, { cover: undefined });
  const voiced = await readBook(options, castFile, warner, io.signal);
  const { book } = voiced;
  const cover = ownCover ?? (await chooseCover(options, book));
  const named = await chooseBookVoices(voiced, voices);
  const { chapters } = voiced;
  const chosen = chooseChapters(chapters, options);
  const again = chooseAgain(chosen, options);
  warner.report([...warnings, ...cover.warnings]);
  const { title, author: artist, publisher, description, date, language } = book;
  const narrator = book.narrator ?? options.voice;
  const tags: AudioTags = { title, artist, publisher, description, date, language, narrator, picture: cover.picture };
  // A package that is missing is found before hours of speech.
  (await openTaggedEncoder({ format: output.format, sampleRate: universalRate, samples: 0, tags })).close();
  const model = await chooseEngine(options, io);
  const loras = await chooseLoras(options, io);
  const documentLanguage = languageOfBook(book, chapters);
  const transcribed = await transcribePrompt(incomplete, options, recognize, io);
  const fields = { ...transcribed, documentLanguage, lora: loras.only };
  const { speed = 1, captions } = options;
  const settings = [
    [speed, captions !== undefined],
    [output.kind, output.format, options.cover ?? null],
    // A chapter in a folder is finished with its file; a single file is written at the end, from what is kept.
    ...(output.kind === 'folder'
      ? [[targetOf(options) ?? null, options.headSilence ?? 0, options.tailSilence ?? 0]]
      : []),
    [options.preview === true, options.chapterDepth ?? null, [...(options.keep ?? [])].sort()],
    ...(await castRevision(voiced, cast, voices)),
  ];
  // The bytes of other formats don't tell what their chapters are.
  const input = isEpub(options.textFile) ? await readFile(options.textFile) : voiced.written;
  const hash = await hashRun(options, { input, modelPath: model.modelPath, fields, loras, voices, settings }, io);
  const { opening } = voiced;
  const { leftOut, firstLeftOut } = book;
  const read = { chapters, chosen, again, left: { leftOut, firstLeftOut }, tags, opening, cast };
  return { ...read, options, output, fields, voices, voice, named, warner, model, recognize, loras, hash };
}

const nothingKept = (path: string): string =>
  `--respeak needs the finished parts of ${quote(path)}: make the book with --keep-parts first`;

function chooseAgain(chosen: readonly ListedChapter[], { respeak }: BookOptions): ReadonlySet<number> {
  if (respeak === undefined) return new Set();
  return new Set(chooseChapters(chosen, { chapters: respeak }).map(({ number }) => number));
}

/** Prints the chapters, as a line of JSON with `--json`. */
async function printChapters(options: BookOptions, cast: CastFile | undefined, io: Io): Promise<void> {
  const warner = createWarner(options, io);
  const { book, chapters: all } = await readBook(options, cast, warner, io.signal);
  const chapters = chooseChapters(all, options);
  io.stdout.write(describeChapters(book, chapters, options, warner.reported));
}

/** @throws SvcError INVALID_REQUEST for a narrator with two voices */
export function withNarrator(options: BookOptions, cast: Cast | undefined): BookOptions {
  const narrator = cast?.voices?.narrator;
  if (narrator === undefined) return options;
  if (options.voice !== undefined)
    throw requestError(`--voice and the narrator of ${quote(options.cast ?? '')} exclude each other; leave one out`);
  return { ...options, voice: narrator };
}

/** The language that a book states, else that of most of its words. */
export const languageOfBook = (
  { language }: Pick<Book, 'language'>,
  chapters: readonly ListedChapter[],
): string | undefined => asLanguage(language) ?? mainLanguage(textsOf(chapters));

/** The words of a book, in their order. */
function* textsOf(chapters: readonly ListedChapter[]): Generator<string> {
  for (const { sections } of chapters) for (const { text } of sections) yield text.replace(/<[^<>]*>/g, ' ');
}
