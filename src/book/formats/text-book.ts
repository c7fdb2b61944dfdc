/** Plain text as a book, in the encoding that its bytes look like, with chapters by lines that look like headings. */
import { aboutEncoding, decodeAny } from '../../files/any-encoding.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import type { DocumentFile } from '../document-file.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { textToHtml } from './text-layout.ts';

/** @throws SvcError INVALID_REQUEST for what is no text */
export async function readTextBook({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const decoded = decodeAny(bytes, path);
  return textBook(decoded.text, path, options, aboutEncoding(decoded, path));
}

/** @param path names the book */
export const textBook = (
  text: string,
  path: string,
  options: ReadBookOptions,
  warnings: readonly string[] = [],
): Book => htmlBook(textToHtml(text), path, options, { title: titleOfFile(path) }, { warnings });
