/** Reads a book, whatever its format. */
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { z } from 'zod';
import { SvcError } from '../errors.ts';
import { reasonOf } from '../files/file-system.ts';
import { quote, show } from '../messages.ts';
import { invalid, numberIn, oneOf, parse } from '../validation.ts';
import { type Book, chapterDepths, leftOutKinds, type ReadBookOptions } from './book.ts';
import { type DocumentExtension, documentExtensions } from './document-kinds.ts';

type ReadFormat = (path: string, options: ReadBookOptions) => Promise<Book>;

const captions: ReadFormat = async (...given) =>
  (await import('./formats/captions-book.ts')).readCaptionsBook(...given);
const html: ReadFormat = async (path, options) => {
  const [{ readFile }, { decodePage }, { htmlBook }] = await Promise.all([
    import('node:fs/promises'),
    import('./decode-page.ts'),
    import('./formats/html-book.ts'),
  ]);
  return htmlBook(decodePage(await readFile(path)), path, options);
};
const markdown: ReadFormat = async (...given) =>
  (await import('./formats/markdown-book.ts')).readMarkdownBook(...given);
const text: ReadFormat = async (...given) => (await import('./formats/text-book.ts')).readTextBook(...given);

/** Documents that are no text by themselves, by extension. */
const documents: Readonly<Record<DocumentExtension, ReadFormat>> = {
  '.epub': async (...given) => (await import('./epub/read-epub.ts')).readEpub(...given),
  '.docx': async (...given) => (await import('./formats/docx-book.ts')).readDocx(...given),
  '.odt': async (...given) => (await import('./formats/odt-book.ts')).readOdt(...given),
  '.fb2': async (...given) => (await import('./formats/fb2-book.ts')).readFb2(...given),
  '.pdf': async (...given) => (await import('./formats/pdf-book.ts')).readPdf(...given),
  '.html': html,
  '.htm': html,
  '.xhtml': html,
  '.srt': captions,
  '.vtt': captions,
};

const optionsSchema = z.strictObject({
  chapterDepth: numberIn(chapterDepths).optional(),
  keep: z.array(oneOf(leftOutKinds), { error: `an array of ${leftOutKinds.join(', ')}` }).optional(),
});

/**
 * By its extension: EPUB, DOCX, ODT, FB2, PDF, HTML, SRT and WebVTT, Markdown, a folder with SUMMARY.md, else plain text.
 *
 * @throws SvcError INVALID_REQUEST for what is no readable book, or is protected; BACKEND_UNAVAILABLE where a package is
 *   missing
 */
export async function readBook(path: string, options: ReadBookOptions = {}): Promise<Book> {
  if (typeof path !== 'string') throw invalid('a string', 'the path of the book', show(path));
  const given = parse(optionsSchema, options, 'the options of readBook');
  try {
    return await readByExtension(path, given);
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    // Of mark-up that no real book has.
    if (cause instanceof RangeError) throw new SvcError('INVALID_REQUEST', `${path}: ${cause.message}`, { cause });
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw new SvcError('INVALID_REQUEST', `cannot read the book ${quote(path)}: ${reasonOf(cause)}`, { cause });
  }
}

async function readByExtension(path: string, options: ReadBookOptions): Promise<Book> {
  const extension = extname(path).toLowerCase();
  if (extension !== '.epub' && (await stat(path)).isDirectory()) {
    const { readMarkdownFolder } = await import('./formats/markdown-book.ts');
    return readMarkdownFolder(path, options);
  }
  const document = documentExtensions.find((known) => known === extension);
  const plain = /^\.(?:md|markdown)$/.test(extension) ? markdown : text;
  const read = document === undefined ? plain : documents[document];
  return read(path, options);
}
