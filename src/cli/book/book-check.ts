/** The work of `svc book check`: reports on a book before hours of computing. */
import type { BookCheck } from '../../book/check-book.ts';
import { checkSpokenBook } from '../../book/read-book.ts';
import { estimateSeconds } from '../../engine/text/estimate-seconds.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { findVoiceOption, openVoices } from '../options/voice-choice.ts';
import { printJson } from '../output/messages.ts';
import { round } from '../output/units.ts';
import { createWarner } from '../output/warnings.ts';
import { chapterTable, total } from './book-list.ts';
import type { BookOptions } from './book-options.ts';
import { checkBookFile, readingOf } from './read-book.ts';

type CheckOptions = Pick<
  BookOptions,
  'textFile' | 'chapterDepth' | 'keep' | 'voice' | 'voiceDir' | 'speed' | 'json' | 'quiet'
>;

/** @throws SvcError */
export async function runCheck(options: CheckOptions, io: Io): Promise<void> {
  await checkBookFile(options);
  const tempo = (options.speed ?? 1) * (await tempoOf(options, io));
  const warner = createWarner(options, io);
  const { book, check } = await checkSpokenBook(options.textFile, readingOf(options), io.signal);
  if (check.chapters.length === 0) throw requestError(`the book ${quote(options.textFile)} has nothing to speak`);
  warner.report([...book.warnings, ...check.warnings]);
  const chapters = check.chapters.map(({ seconds, ...chapter }) => ({
    ...chapter,
    seconds: round(seconds / tempo, 1),
  }));
  const [words, seconds] = [total(chapters, 'words'), round(total(chapters, 'seconds'), 1)];
  const { title, author = null, language = null, leftOut, firstLeftOut = {} } = book;
  if (options.json) {
    const { languages, speakers, oddCharacters, doubtfulWords } = check;
    const about = { title, author, language, words, seconds, tempo: round(tempo, 3), chapters };
    const found = { languages, speakers, oddCharacters, doubtfulWords, leftOut, firstLeftOut };
    return printJson({ ...about, ...found, warnings: warner.reported }, io);
  }
  io.stdout.write(chapterTable(book, chapters, 'words', seconds, findingsOf(check, words)));
}

/** Speakers in a line; JSON has all. */
const mostSpeakers = 30;

function findingsOf(
  { languages, speakers, oddCharacters, doubtfulWords }: BookCheck,
  words: number,
): readonly string[] {
  const share = (count: number): string => `${Math.max(1, Math.round((count / Math.max(1, words)) * 100))} %`;
  const more = speakers.length > mostSpeakers ? [`${speakers.length - mostSpeakers} more`] : [];
  const lines: readonly (readonly [name: string, items: readonly string[]])[] = [
    ['languages', languages.map(({ language, words: count }) => `${language} ${share(count)}`)],
    [
      'speakers',
      [...speakers.slice(0, mostSpeakers).map(({ name, quotations }) => `${name} (${quotations})`), ...more],
    ],
    [
      'odd characters',
      oddCharacters.map(
        ({ character, code, kind, count }) => `${kind === 'damaged' ? '' : `${character} `}${code} (${kind}, ${count})`,
      ),
    ],
    [
      'may be misread',
      doubtfulWords.map(({ word, reason, count, chapter }) => `${word} (${reason}, ${count}, chapter ${chapter})`),
    ],
  ];
  return lines.flatMap(([name, items]) => (items.length === 0 ? [] : [`${name}: ${items.join(', ')}`]));
}

/** Slower and faster recordings are cut, not spoken so. */
const [slowest, fastest] = [0.5, 2];

/** How much faster than usual a voice speaks, by its recording and its transcript; 1 without them. */
async function tempoOf({ voice, ...options }: CheckOptions, io: Io): Promise<number> {
  if (voice === undefined) return 1;
  await using voices = openVoices(options, io);
  const { voice: found } = await findVoiceOption(voice, voices);
  const seconds =
    'audio' in found
      ? found.audio.samples.length / found.audio.sampleRate
      : found.recording.sampleCount / found.recording.sampleRate;
  if (found.text === undefined || !(seconds > 0)) return 1;
  return Math.min(fastest, Math.max(slowest, estimateSeconds(found.text) / seconds));
}
