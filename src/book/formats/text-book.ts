/** Plain text as a book, in the encoding that its bytes look like, with chapters by lines that look like headings. */
import { analyse } from 'chardet';
import { SvcError } from '../../errors.ts';
import { encodingOf } from '../../files/unicode-text.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import type { DocumentFile } from '../document-file.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { textToHtml } from './text-layout.ts';

/** Bytes by which the encoding is found. */
const sampled = 256 * 1024;

/** @throws SvcError INVALID_REQUEST for what is no text */
export async function readTextBook({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  return textBook(decodeAny(bytes, path), path, options);
}

/** @param path names the book */
export const textBook = (text: string, path: string, options: ReadBookOptions): Book =>
  htmlBook(textToHtml(text), path, options, { title: titleOfFile(path) });

/** @throws SvcError INVALID_REQUEST for binary data */
export function decodeAny(bytes: Uint8Array, path: string): string {
  const stated = encodingOf(bytes);
  try {
    const text = new TextDecoder(stated, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // In another encoding.
  }
  for (const { name } of analyse(bytes.subarray(0, sampled))) {
    try {
      const text = new TextDecoder(name.toLowerCase(), { fatal: true }).decode(bytes);
      if (!/[\0\p{Co}]/u.test(text)) return text;
    } catch {
      // An encoding that fits no better, or an unknown one.
    }
  }
  throw new SvcError('INVALID_REQUEST', `${path} is not text in a known encoding; save it as UTF-8`);
}
