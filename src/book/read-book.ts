/** Reads a book, whatever its format. */
import { z } from 'zod';
import { show } from '../messages.ts';
import { invalid, numberIn, oneOf, parse } from '../validation.ts';
import { type Book, chapterDepths, type ReadBookOptions } from './book.ts';
import { type BookDetails, type BookJobs, chaptersOf, type Reading } from './book-jobs.ts';
import { inBookThread } from './book-thread.ts';
import type { CastFile } from './cast.ts';
import { leftOutKinds } from './left-out.ts';
import type { ListedChapter } from './list-chapters.ts';
import type { VoicedBook, Voicing } from './voice-book.ts';

const optionsSchema = z.strictObject({
  chapterDepth: numberIn(chapterDepths).optional(),
  keep: z.array(oneOf(leftOutKinds), { error: `an array of ${leftOutKinds.join(', ')}` }).optional(),
  signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
});

/**
 * Reads a book by its extension: EPUB, DOCX, ODT, FB2, PDF, HTML, SRT and WebVTT, Markdown, a folder with SUMMARY.md, else plain text. It is
 * read in a thread, so that nothing waits for it.
 *
 * @throws SvcError INVALID_REQUEST for what is no readable book, or is protected; BACKEND_UNAVAILABLE where a package is
 *   missing; CANCELLED
 */
export async function readBook(
  path: string,
  options: ReadBookOptions & { readonly signal?: AbortSignal | undefined } = {},
): Promise<Book> {
  if (typeof path !== 'string') throw invalid('a string', 'the path of the book', show(path));
  const { signal, ...given } = parse(optionsSchema, options, 'the options of readBook');
  const job = { kind: 'read', path, options: given } as const;
  const { items, rest } = await inBookThread(job, signal);
  return { ...withCover(rest), chapters: chaptersOf(items) };
}

type Rest<Kind extends keyof BookJobs> = Promise<BookJobs[Kind]['rest']>;

/** @throws SvcError like `readBook` */
export async function readListedBook(
  path: string,
  options: ReadBookOptions,
  signal: AbortSignal,
): Promise<BookDetails & { readonly chapters: readonly ListedChapter[] }> {
  const { items, rest } = await inBookThread({ kind: 'list', path, options } as const, signal);
  return { ...rest, chapters: items };
}

/** A book as it will be spoken. */
export type SpokenBook = BookJobs['voice']['rest'] & Pick<VoicedBook, 'chapters'>;

/** @throws SvcError like `readBook`, and INVALID_REQUEST for voices that don't fit the book */
export async function readSpokenBook(reading: Reading, voicing: Voicing, signal: AbortSignal): Promise<SpokenBook> {
  const job = { kind: 'voice', ...reading, voicing } as const;
  const { items, rest } = await inBookThread(job, signal);
  return { ...rest, book: withCover(rest.book), chapters: items };
}

/** A cast to begin with. @throws SvcError like `readBook` */
export async function suggestCastOf(
  path: string,
  options: ReadBookOptions,
  { voices, format }: Pick<BookJobs['suggest']['given'], 'voices' | 'format'>,
  signal: AbortSignal,
): Rest<'suggest'> {
  const job = { kind: 'suggest', path, options, voices, format } as const;
  return (await inBookThread(job, signal)).rest;
}

/** A report on a book before it is spoken. @throws SvcError like `readBook` */
export async function checkSpokenBook(path: string, options: ReadBookOptions, signal: AbortSignal): Rest<'check'> {
  const job = { kind: 'check', path, options } as const;
  return (await inBookThread(job, signal)).rest;
}

/** @throws SvcError INVALID_REQUEST for what is no cast, with the line of what is no YAML */
export const parseCastFile = async (text: string, path: string, signal: AbortSignal): Promise<CastFile> =>
  (await inBookThread({ kind: 'cast', text, path } as const, signal)).rest;

/** Messages between threads have plain bytes. */
function withCover<Details extends BookDetails>(details: Details): Details {
  if (details.cover === undefined) return details;
  const { buffer, byteOffset, length } = details.cover.bytes;
  return { ...details, cover: { ...details.cover, bytes: Buffer.from(buffer, byteOffset, length) } };
}
