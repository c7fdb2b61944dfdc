/** Reads a book, whatever its format. */
import type { Book, ReadBookOptions } from './book.ts';
import { readEpub } from './epub/read-epub.ts';

/** @throws SvcError INVALID_REQUEST for what is no readable book, or is protected; errors of the file system */
export const readBook = (path: string, options: ReadBookOptions = {}): Promise<Book> => readEpub(path, options);
