/** Which options make an audiobook, and which don't fit one. */
import { extname } from 'node:path';
import { requestError } from '../../validation.ts';
import { refuseOptions, type SpeakOptions } from '../options/options.ts';

/** Options of a book. */
export type BookOptions = SpeakOptions & { readonly textFile: string };

export const isBook = (options: SpeakOptions): options is BookOptions =>
  options.text === undefined && extname(options.textFile ?? '').toLowerCase() === '.epub';

const bookFlags = {
  cover: '--cover',
  list: '--list',
  chapters: '--chapters',
  skip: '--skip',
  preview: '--preview',
  chapterDepth: '--chapter-depth',
  keep: '--keep',
  keepParts: '--keep-parts',
  respeak: '--respeak',
} as const satisfies Partial<Record<keyof SpeakOptions, string>>;

/** @throws SvcError INVALID_REQUEST for options that only a book has */
export function refuseBookOptions(options: SpeakOptions): void {
  if (options.cover === false) refuseOptions({ cover: false }, { cover: '--no-cover' }, needsBook);
  refuseOptions(options, bookFlags, needsBook);
}

const needsBook = 'needs a book: name an .epub file with --text-file';

/** @throws SvcError INVALID_REQUEST for options that a book can't follow */
export function checkBookOptions({
  live,
  inputFormat,
  voices,
  split,
  sampleFormat,
  cover,
  ...options
}: BookOptions): void {
  const misfits: readonly (readonly [string, boolean])[] = [
    ['--live', live === true],
    ['--input-format', inputFormat !== undefined && inputFormat !== 'auto'],
    ['--voices', voices !== undefined],
    ['--no-split', split === false],
    ['--sample-format', sampleFormat !== undefined && sampleFormat !== 's16'],
  ];
  for (const [flag, isGiven] of misfits) {
    if (isGiven) throw requestError(`${flag} does not apply to an EPUB; leave it out`);
  }
  if (options.respeak !== undefined && options.preview)
    throw requestError('--respeak and --preview exclude each other');
  if (cover === '') throw requestError('--cover is empty: name a .jpg or .png file');
}
