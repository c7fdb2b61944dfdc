/** The work of `svc tts --text-file book.epub`: check everything, then make the book where no other run does. */
import { rmdir } from 'node:fs/promises';
import type { CastFile } from '../../book/cast.ts';
import { chooseChapters } from '../../book/chapter-numbers.ts';
import { makeFolder } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { partsAtOnce } from '../model/model-choice.ts';
import { openVoices } from '../options/voice-choice.ts';
import { noteDemoModel } from '../output/demo-note.ts';
import { createWarner } from '../output/warnings.ts';
import { withWorkFolder } from '../resume/work-folder.ts';
import { describeChapters } from './book-list.ts';
import { type BookOptions, checkBookOptions } from './book-options.ts';
import { makeBook } from './make-book.ts';
import { planBook } from './plan-book.ts';
import { readBook, readCast } from './read-book.ts';

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

const nothingKept = (path: string): string =>
  `--respeak needs the finished parts of ${quote(path)}: make the book with --keep-parts first`;

/** Prints the chapters, as a line of JSON with `--json`. */
async function printChapters(options: BookOptions, cast: CastFile | undefined, io: Io): Promise<void> {
  const warner = createWarner(options, io);
  const { book, chapters: all } = await readBook(options, cast, warner, io.signal);
  const chapters = chooseChapters(all, options);
  io.stdout.write(describeChapters(book, chapters, options, warner.reported));
}
