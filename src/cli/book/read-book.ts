/** Reads the book of a command. */
import type { Book } from '../../book/book.ts';
import { readBook as readAnyBook } from '../../book/read-book.ts';
import { refuseIrregular } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { type BookOptions, isEpub, isFolder } from './book-options.ts';

/** @throws SvcError INVALID_REQUEST, with the path */
export async function readBook({
  textFile: path,
  chapterDepth,
  keep,
  bookText,
}: Pick<BookOptions, 'textFile' | 'chapterDepth' | 'keep' | 'bookText'>): Promise<Book> {
  if (bookText !== undefined) {
    const { textBook } = await import('../../book/formats/text-book.ts');
    return textBook(bookText, path, { chapterDepth, keep });
  }
  if (isEpub(path) || !isFolder(path))
    await refuseIrregular(path, (kind) => requestError(`cannot read the book ${quote(path)}: it is ${kind}`));
  return readAnyBook(path, { chapterDepth, keep });
}
