/** All options of `tts` and `clone`, with those of audiobooks. */
import { type Command, Option } from 'commander';
import { chapterDepths, type ReadBookOptions } from '../../book/book.ts';
import { type ChapterChoice, type ChapterNumbers, parseChapterNumbers } from '../../book/chapter-numbers.ts';
import { type KeptKind, leftOutKinds } from '../../book/left-out.ts';
import { type LoraOptions, loraOptions } from './lora-options.ts';
import { type ModelOptions, modelOptions } from './model-options.ts';
import { choosing, commandWith, grouped, numberOption, parseName, repeated } from './option-values.ts';
import { type OutputOptions, outputOptions, type PlaybackOptions } from './output-options.ts';
import type { RecognizerOptions } from './recognizer.ts';
import {
  type SpeechOptions,
  scriptOptions,
  speechOptions,
  type TextOptions,
  textOptions,
  type VoiceOptions,
  voiceOptions,
} from './speech-options.ts';

/** Options of audiobooks alone. */
export interface ChapterOptions extends ChapterChoice, ReadBookOptions {
  readonly list?: boolean | undefined;
  readonly preview?: boolean | undefined;
  readonly keepParts?: boolean | undefined;
  readonly respeak?: ChapterNumbers | undefined;
  readonly chapterList?: readonly string[] | undefined;
  readonly cast?: string | undefined;
}

export type SpeakOptions = ModelOptions &
  TextOptions &
  VoiceOptions &
  SpeechOptions &
  RecognizerOptions &
  LoraOptions &
  OutputOptions &
  ChapterOptions &
  PlaybackOptions;

const chaptersOption = (flag: string, what: string): Option =>
  new Option(`${flag} <numbers>`, what).argParser((text) => parseChapterNumbers(text, flag));

/** Options for the parts of a book to read, and for its sections. */
export const bookReadingOptions = (): readonly Option[] => [
  numberOption(
    '--chapter-depth',
    chapterDepths,
    'levels of the table of contents that make chapters',
    'deeper ones only in long chapters',
  ),
  choosing(leftOutKinds, '--keep <kinds>', 'parts of a book to read although they are left out by default').argParser(
    (text, others: readonly KeptKind[] = []) => [
      ...others,
      ...text.split(',').map((name) => parseName('--keep', leftOutKinds)(name.trim())),
    ],
  ),
];

const chapterOptions = (): readonly Option[] =>
  grouped('Book:', [
    '--list: list the chapters with their length instead of speaking',
    chaptersOption('--chapters', 'chapters to speak, such as 3-7,12, by their numbers in --list (default: all)'),
    chaptersOption('--skip', 'chapters to leave out, by their numbers'),
    '--preview: speak only the first sentence of each chapter',
    ...bookReadingOptions(),
    '--keep-parts: keep what is finished beside the book, to speak single chapters again later',
    chaptersOption('--respeak', 'chapters to speak again in a book made with --keep-parts'),
    new Option(
      '--chapter-list <file>',
      'also write where chapters begin: WebVTT (.vtt) or for YouTube (.txt); may be repeated',
    ).argParser(repeated),
    "--cast <file>: voices of narrator and characters, pronunciations and pauses (see 'svc book cast')",
  ]);

/** `tts` or `clone`, with the text argument and all options. */
export function speakCommand(name: 'tts' | 'clone', examples: string): Command {
  const argument = 'text to speak (default: --text, --text-file or standard input)';
  return commandWith(name, examples, [
    ...textOptions(),
    ...scriptOptions(),
    ...voiceOptions(),
    ...modelOptions(),
    ...loraOptions('one per run'),
    ...outputOptions(),
    ...chapterOptions(),
    ...speechOptions(),
  ]).argument('[text]', argument);
}
