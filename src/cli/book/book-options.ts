/** Which options make an audiobook, and which don't fit one. */
import { extname } from 'node:path';
import { requestError } from '../../validation.ts';
import type { SpeakOptions } from '../options/options.ts';

/** Options of a book. */
export type BookOptions = SpeakOptions & { readonly textFile: string };

export const isBook = (options: SpeakOptions): options is BookOptions =>
  options.text === undefined && extname(options.textFile ?? '').toLowerCase() === '.epub';

/** @throws SvcError INVALID_REQUEST for options that only a book has */
export function refuseBookOptions({ cover }: SpeakOptions): void {
  if (cover === undefined) return;
  throw requestError(`${cover === false ? '--no-cover' : '--cover'} needs a book: name an .epub file with --text-file`);
}

/** @throws SvcError INVALID_REQUEST for options that a book can't follow */
export function checkBookOptions({ live, inputFormat, voices, split, sampleFormat, cover }: BookOptions): void {
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
  if (cover === '') throw requestError('--cover is empty: name a .jpg or .png file');
}
