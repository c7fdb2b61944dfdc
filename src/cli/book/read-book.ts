/** Reads the book of a command. */
import { writeFile } from 'node:fs/promises';
import type { ReadBookOptions } from '../../book/book.ts';
import type { CastFile } from '../../book/cast.ts';
import { readSpokenBook, type SpokenBook } from '../../book/read-book.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf, refuseIrregular } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { readTextFile } from '../options/text-input.ts';
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

/** @throws SvcError INVALID_REQUEST, with the line of what is no YAML */
export async function readCast(path: string, signal: AbortSignal): Promise<CastFile> {
  const [text, { parseCastFile }] = await Promise.all([
    readTextFile(path, 'cast file', signal, 'text'),
    import('../../book/read-book.ts'),
  ]);
  return parseCastFile(text, path, signal);
}

/** @throws SvcError IO, CONFLICT for a file that exists: a person may have edited it */
export async function writeCast(text: string, path: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new SvcError('CONFLICT', `${quote(path)} exists; name another file, or delete it`, { cause });
    throw new SvcError('IO', `cannot write ${quote(path)}: ${reasonOf(cause)}`, { cause });
  }
}
