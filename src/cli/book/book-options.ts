/** Which options make an audiobook, and which don't fit one. */
import { statSync } from 'node:fs';
import { findSummary } from '../../book/formats/find-summary.ts';
import { documentKind } from '../../files/file-kinds.ts';
import { requestError } from '../../validation.ts';
import { refuseOptions } from '../options/option-values.ts';
import type { SpeakOptions } from '../options/speak-options.ts';
import { checkLoudness } from '../output/loudness.ts';

export type BookOptions = SpeakOptions & {
  /** Names the book, even one whose text is given otherwise. */
  readonly textFile: string;
  readonly bookText?: string | undefined;
};

/** Outputs that hold chapters, and those that hold nothing but books. */
const chapterOutput = /\.(?:m4b|m4a|mp4|mp3|ogg|opus|flac)$/i;
const bookFile = /\.(?:m4b|m4a|mp4)$/i;
const bookOutput = new RegExp(`${bookFile.source}|[/\\\\]$`, 'i');

/**
 * An EPUB or the folder of an mdBook; a document whose output holds chapters; and any text whose output is a book's, or whose
 * chapters are to be listed.
 */
export function isBook(options: SpeakOptions): options is BookOptions {
  const { text, textFile, output = '', inputFormat = 'auto', list } = options;
  if (text !== undefined || textFile === undefined || textFile === '-') return false;
  if (list === true || isEpub(textFile) || findSummary(textFile) !== undefined) return true;
  if (inputFormat !== 'auto') return false;
  return (
    bookOutput.test(output) || isFolder(output) || (documentKind(textFile) !== undefined && chapterOutput.test(output))
  );
}

/** Whether a text that comes from no file goes to a file that only books have, such as `.m4a`. */
export const isTextForBookFile = ({ textFile = '-', inputFormat = 'auto', output = '' }: SpeakOptions): boolean =>
  textFile === '-' && (inputFormat === 'auto' || inputFormat === 'plain') && bookFile.test(output);

export const isEpub = (path: string): boolean => documentKind(path) === 'epub';

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** `an EPUB` or `a book`, for messages. */
export const nameOfBook = ({ textFile }: Pick<BookOptions, 'textFile'>): string =>
  isEpub(textFile) ? 'an EPUB' : 'a book';

const chapterOptions = ['list', 'chapters', 'skip', 'preview', 'chapterDepth', 'keep', 'keepParts', 'respeak'] as const;

/** @throws SvcError INVALID_REQUEST for options that only a book has */
export function refuseBookOptions(options: SpeakOptions): void {
  if (options.cover === false) throw requestError(`--no-cover ${needsBook}`);
  refuseOptions(options, ['cover', ...chapterOptions, 'cast', 'chapterList'], needsBook);
}

const needsBook = 'needs a book: name one with --text-file, such as book.epub';

/** @throws SvcError INVALID_REQUEST for options that a book can't follow */
export function checkBookOptions(options: BookOptions): void {
  const { live, inputFormat, voices, split, sampleFormat, cover } = options;
  const misfits: readonly (readonly [string, boolean])[] = [
    ['--live', live === true],
    ['--input-format', inputFormat !== undefined && inputFormat !== 'auto'],
    ['--no-split', split === false],
    ['--sample-format', sampleFormat !== undefined && sampleFormat !== 's16'],
  ];
  for (const [flag, isGiven] of misfits) {
    if (isGiven) throw requestError(`${flag} does not apply to ${nameOfBook(options)}; leave it out`);
  }
  if (options.respeak !== undefined && options.preview)
    throw requestError('--respeak and --preview exclude each other');
  if (voices !== undefined && options.cast !== undefined)
    throw requestError('--voices and --cast exclude each other; list the voices in the cast');
  if (options.cast === '') throw requestError('--cast is empty: name a cast file');
  checkLoudness(options);
  if (cover === '') throw requestError('--cover is empty: name a .jpg or .png file');
}
