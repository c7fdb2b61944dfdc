/** Reads the book of a command. */
import type { ReadBookOptions } from '../../book/book.ts';
import type { CastFile } from '../../book/cast.ts';
import { readSpokenBook, type SpokenBook } from '../../book/read-book.ts';
import { refuseIrregular } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Warner } from '../output/warnings.ts';
import { type BookOptions, isEpub, isFolder } from './book-options.ts';

type Options = Pick<BookOptions, 'textFile' | 'chapterDepth' | 'keep'>;

/** @throws SvcError INVALID_REQUEST, with the path */
export async function checkBookFile({ textFile: path }: Options): Promise<void> {
  if (isEpub(path) || !isFolder(path))
    await refuseIrregular(path, (kind) => requestError(`cannot read the book ${quote(path)}: it is ${kind}`));
}

export const readingOf = ({ chapterDepth, keep }: Options): ReadBookOptions => ({ chapterDepth, keep });

/** @throws SvcError INVALID_REQUEST, with the path, also for a book without words */
export async function readBook(
  options: Options & Pick<BookOptions, 'voices' | 'preview' | 'bookText'>,
  cast: CastFile | undefined,
  warner: Warner,
  signal: AbortSignal,
): Promise<SpokenBook> {
  if (options.bookText === undefined) await checkBookFile(options);
  const { textFile, bookText: text, voices, keep, preview } = options;
  const voicing = { voices, cast, keep, extent: preview ? ('preview' as const) : ('whole' as const) };
  const spoken = await readSpokenBook({ path: textFile, text, options: readingOf(options) }, voicing, signal);
  warner.report(spoken.book.warnings);
  warner.report(spoken.warnings);
  return spoken;
}
