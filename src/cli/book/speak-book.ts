/** The work of `svc tts --text-file book.epub`: check everything, then make the book where no other run does. */

import { readFile, rmdir } from 'node:fs/promises';
import { universalRate } from '../../audio/encode/format.ts';
import { openTaggedEncoder } from '../../audio/encode/tagged-file.ts';
import type { AudioTags } from '../../audio/encode/tags.ts';
import type { Book } from '../../book/book.ts';
import { chooseChapters } from '../../book/chapter-numbers.ts';
import { type ListedChapter, listChapters } from '../../book/list-chapters.ts';
import { readBook as readAnyBook } from '../../book/read-book.ts';
import { SvcError } from '../../errors.ts';
import { makeFolder, reasonOf, refuseIrregular } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { chooseLoras, requireOne } from '../model/lora-choice.ts';
import { chooseEngine } from '../model/model-choice.ts';
import { partsAtOnce } from '../model/parts-at-once.ts';
import { chooseRecognizer } from '../options/recognizer.ts';
import { readFields, transcribePrompt } from '../options/request-fields.ts';
import { chooseVoiceOption, openVoices } from '../options/voice-choice.ts';
import { checkCaptions } from '../output/captions.ts';
import { noteDemoModel } from '../output/demo-note.ts';
import { createWarner, type Warner } from '../output/warnings.ts';
import { hashRun } from '../resume/run-hash.ts';
import { withWorkFolder } from '../resume/with-work-folder.ts';
import { chooseCover } from './book-cover.ts';
import { describeChapters } from './book-list.ts';
import { type BookOptions, checkBookOptions, isEpub, isFolder } from './book-options.ts';
import { resolveBookOutput } from './book-output.ts';
import { makeBook } from './make-book.ts';

/** @throws SvcError; what is finished stays in the work folder, and running the command again resumes */
export async function speakBook(options: BookOptions, io: Io): Promise<void> {
  checkBookOptions(options);
  if (options.list) {
    await printChapters(options, io);
    return;
  }
  requireOne(options);
  const output = await resolveBookOutput(options);
  await checkCaptions(options, { kind: 'file', path: output.path, format: 'wav', sampleFormat: 's16' });
  await using voices = openVoices(options, io);
  const voice = await chooseVoiceOption(options, voices);
  const recognize = await chooseRecognizer(options, io);
  const { fields: incomplete, warnings } = await readFields(options, recognize, io);
  const book = await readBook(options);
  const warner = createWarner(options, io);
  const cover = await chooseCover(options, book);
  warner.report(book.warnings);
  const chapters = readableChapters(book, options, warner);
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
  const fields = { ...(await transcribePrompt(incomplete, options, recognize, io)), lora: loras.only };
  const { speed = 1, captions } = options;
  const settings = [
    [speed, captions !== undefined],
    [output.kind, output.format, options.cover ?? null],
    [options.preview === true, options.chapterDepth ?? null, [...(options.keep ?? [])].sort()],
  ];
  // The bytes of other formats don't tell what their chapters are.
  const input = isEpub(options.textFile) ? await readFile(options.textFile) : JSON.stringify(book.chapters);
  const hash = await hashRun(options, { input, modelPath: model.modelPath, fields, loras, voices, settings }, io);
  const made = output.kind === 'folder' ? await makeFolder(output.path) : undefined;
  try {
    const resumable = {
      what: 'book' as const,
      workFolder: output.workFolder,
      output: output.path,
      hash,
      quiet: options.quiet,
    };
    await withWorkFolder(resumable, io, async (work, locked) => {
      if (again.size > 0 && !work.isResumed) throw requestError(nothingKept(output.path));
      const means = { recognize, loras: loras.catalog };
      await using engine = await io.openEngine({ ...model, maxBatch: partsAtOnce }, means);
      noteDemoModel(engine.info, options, io);
      const plan = { options, output, chapters, chosen, again, tags, fields, voices, voice, work, warner };
      await makeBook(engine, { ...plan, leftOut: book.leftOut }, locked);
    });
  } catch (error) {
    // Only if nothing is in it.
    if (made !== undefined) await rmdir(output.path).catch(() => undefined);
    throw error;
  }
}

const nothingKept = (path: string): string =>
  `--respeak needs the finished parts of ${quote(path)}: make the book with --keep-parts first`;

/** Numbers of the chapters to speak again. */
function chooseAgain(chosen: readonly ListedChapter[], { respeak }: BookOptions): ReadonlySet<number> {
  if (respeak === undefined) return new Set();
  return new Set(chooseChapters(chosen, { chapters: respeak }).map(({ number }) => number));
}

/** Prints the chapters, as a line of JSON with `--json`. */
async function printChapters(options: BookOptions, io: Io): Promise<void> {
  const book = await readBook(options);
  const warner = createWarner(options, io);
  warner.report(book.warnings);
  const chapters = chooseChapters(readableChapters(book, options, warner), options);
  io.stdout.write(describeChapters(book, chapters, options, warner.reported));
}

async function readBook({ textFile: path, ...options }: BookOptions): Promise<Book> {
  if (isEpub(path) || !isFolder(path))
    await refuseIrregular(path, (kind) => requestError(`cannot read the book ${quote(path)}: it is ${kind}`));
  try {
    return await readAnyBook(path, options);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw requestError(`cannot read the book ${quote(path)}: ${reasonOf(error)}`);
  }
}

function readableChapters(book: Book, { textFile, preview }: BookOptions, warner: Warner): readonly ListedChapter[] {
  const { chapters, warnings } = listChapters(book, preview ? 'preview' : 'whole');
  warner.report(warnings);
  if (chapters.length === 0) throw requestError(`the book ${quote(textFile)} has nothing to speak`);
  return chapters;
}
