/** The work of `svc tts --text-file book.epub`: check everything, then make the book where no other run does. */

import { readFile, rmdir } from 'node:fs/promises';
import { universalRate } from '../../audio/encode/format.ts';
import { openTaggedEncoder } from '../../audio/encode/tagged-file.ts';
import type { AudioTags } from '../../audio/encode/tags.ts';
import { type Book, readEpub } from '../../book/epub.ts';
import { type SpokenChapter, sectionsOf } from '../../book/sections.ts';
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
import { type BookOptions, checkBookOptions } from './book-options.ts';
import { resolveBookOutput } from './book-output.ts';
import { makeBook } from './make-book.ts';

/** @throws SvcError; what is finished stays in the work folder, and running the command again resumes */
export async function speakBook(options: BookOptions, io: Io): Promise<void> {
  checkBookOptions(options);
  requireOne(options);
  const output = await resolveBookOutput(options);
  await checkCaptions(options, { kind: 'file', path: output.path, format: 'wav', sampleFormat: 's16' });
  await using voices = openVoices(options, io);
  const voice = await chooseVoiceOption(options, voices);
  const recognize = await chooseRecognizer(options, io);
  const { fields: incomplete, warnings } = await readFields(options, recognize, io);
  const book = await readBook(options.textFile);
  const warner = createWarner(options, io);
  const cover = await chooseCover(options, book);
  const chapters = readableChapters(book, options, warner);
  warner.report([...warnings, ...cover.warnings]);
  const tags: AudioTags = { title: book.title, artist: book.author, picture: cover.picture };
  // A package that is missing is found before hours of speech.
  (await openTaggedEncoder({ format: output.format, sampleRate: universalRate, samples: 0, tags })).close();
  const chosen = await chooseEngine(options, io);
  const loras = await chooseLoras(options, io);
  const fields = { ...(await transcribePrompt(incomplete, options, recognize, io)), lora: loras.only };
  const { speed = 1, captions } = options;
  const settings = [
    [speed, captions !== undefined],
    [output.kind, output.format, options.cover ?? null],
  ];
  const input = await readFile(options.textFile);
  const hash = await hashRun(options, { input, modelPath: chosen.modelPath, fields, loras, voices, settings }, io);
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
      const means = { recognize, loras: loras.catalog };
      await using engine = await io.openEngine({ ...chosen, maxBatch: partsAtOnce }, means);
      noteDemoModel(engine.info, options, io);
      await makeBook(engine, { options, output, chapters, tags, fields, voices, voice, work, warner }, locked);
    });
  } catch (error) {
    // Only if nothing is in it.
    if (made !== undefined) await rmdir(output.path).catch(() => undefined);
    throw error;
  }
}

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
    else warner.report([`the chapter ${quote(chapter.title)} ${chapter.reason} and is left out`]);
  }
  if (chapters.length === 0) throw requestError(`the book ${quote(textFile)} has nothing to speak`);
  return chapters;
}
