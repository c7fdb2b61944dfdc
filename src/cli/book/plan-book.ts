/** What `svc tts` makes of a book: all that is checked and read before a model is loaded. */
import { readFile } from 'node:fs/promises';
import { universalRate } from '../../audio/encode/format.ts';
import { openTaggedEncoder } from '../../audio/encode/tagged-file.ts';
import type { AudioTags } from '../../audio/encode/tags.ts';
import type { Book } from '../../book/book.ts';
import type { Cast, CastFile } from '../../book/cast.ts';
import { chooseChapters } from '../../book/chapter-numbers.ts';
import type { ListedChapter } from '../../book/list-chapters.ts';
import { asLanguage } from '../../engine/request-fields.ts';
import { mainLanguage } from '../../engine/text/language/language-reader.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { chooseLoras, requireOne } from '../model/lora-choice.ts';
import { chooseEngine } from '../model/model-choice.ts';
import { chooseRecognizer } from '../options/recognizer.ts';
import { readFields, transcribePrompt } from '../options/request-fields.ts';
import { type CommandVoices, chooseVoiceOption } from '../options/voice-choice.ts';
import { targetOf } from '../output/loudness.ts';
import { createWarner } from '../output/warnings.ts';
import { hashRun } from '../resume/run-hash.ts';
import { checkBookCaptions } from './book-captions.ts';
import { chooseCover } from './book-cover.ts';
import { type BookOptions, isEpub } from './book-options.ts';
import { resolveBookOutput } from './book-output.ts';
import { readBook } from './read-book.ts';
import { castRevision, chooseBookVoices } from './voiced-book.ts';

export type BookPlan = Awaited<ReturnType<typeof planBook>>;

/** Checks and reads all that needs no model; the hash is that of everything that the audio depends on. @throws SvcError */
export async function planBook(given: BookOptions, castFile: CastFile | undefined, voices: CommandVoices, io: Io) {
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

function chooseAgain(chosen: readonly ListedChapter[], { respeak }: BookOptions): ReadonlySet<number> {
  if (respeak === undefined) return new Set();
  return new Set(chooseChapters(chosen, { chapters: respeak }).map(({ number }) => number));
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
