/** `--show-spoken` of a book: prints what the model gets of each chosen chapter. */
import { chooseChapters } from '../../book/chapter-numbers.ts';
import { parseRequestText } from '../../engine/parsed-request.ts';
import type { TextPreview } from '../../engine/plan/preview.ts';
import { readingFieldsOf } from '../../engine/reading-fields.ts';
import { inTurns } from '../../event-loop.ts';
import { oneLine } from '../../messages.ts';
import type { Io } from '../io.ts';
import { chooseEngine } from '../model/model-choice.ts';
import { chooseRecognizer } from '../options/recognizer.ts';
import { readFields } from '../options/request-fields.ts';
import { chooseVoiceOption, openVoices } from '../options/voice-choice.ts';
import { printJson } from '../output/messages.ts';
import { createWarner } from '../output/warnings.ts';
import { describePreview, openReader, plainPassage, previewRequest, refuseAudioOptions } from '../show-spoken.ts';
import { type BookOptions, checkBookOptions } from './book-options.ts';
import { languageOfBook, withNarrator } from './plan-book.ts';
import { readBook, readCast } from './read-book.ts';
import { chooseBookVoices, lexiconOf } from './voiced-book.ts';

/** @throws SvcError */
export async function showBook(given: BookOptions, io: Io): Promise<void> {
  refuseAudioOptions(given);
  checkBookOptions(given);
  const castFile = given.cast === undefined ? undefined : await readCast(given.cast, io.signal);
  const cast = castFile?.cast;
  const options = withNarrator(given, cast);
  await using voices = openVoices(options, io);
  const own = await chooseVoiceOption(cast === undefined ? options : { ...options, voices: {} }, voices);
  const { fields, warnings } = await readFields(options, await chooseRecognizer(options, io), io);
  const warner = createWarner(options, io);
  const voiced = await readBook(options, castFile, warner, io.signal);
  const named = await chooseBookVoices(voiced, voices);
  const { book, chapters } = voiced;
  const chosen = chooseChapters(chapters, options);
  warner.report(warnings);
  const reading = { ...fields, ...readingFieldsOf(own, named), documentLanguage: languageOfBook(book, chapters) };
  const reader = await openReader(await chooseEngine(options, io), io);
  const shown: object[] = [];
  let count = 0;
  for (const { number, title, sections } of chosen) {
    const lexicon = lexiconOf(cast, number, fields.lexicon);
    const previews: TextPreview[] = [];
    if (!options.json) io.stdout.write(`chapter ${number}: ${oneLine(title)}\n`);
    for (const { text } of sections) {
      const parsed = await inTurns(
        parseRequestText({ ...reading, lexicon, text, inputFormat: 'ssml' as const }),
        io.signal,
      );
      const preview = await previewRequest(reader, parsed, 'passages', io);
      warner.report(preview.warnings);
      if (options.json) previews.push(preview);
      else for (const line of describePreview(preview, count + 1)) io.stdout.write(`${line}\n`);
      count += preview.passages.length;
    }
    const passages = previews.flatMap((preview) => preview.passages.map(plainPassage));
    if (options.json) shown.push({ number, title, passages });
  }
  if (!options.json) return;
  const normalize = fields.normalize === 'auto' ? reader.normalizes : fields.normalize;
  printJson({ model: reader.info.name, normalize, chapters: shown, warnings: warner.reported }, io);
}
