/** Mobipocket books, and Kindle's (.mobi, .azw, .azw3) without DRM. */
import type { SvcError } from '../../errors.ts';
import { decodeBytes } from '../../files/decode-bytes.ts';
import { requestError } from '../../validation.ts';
import { type Book, type BookDetails, bookOf, type Cover, type ReadBookOptions } from '../book.ts';
import { cutAtEntries, joinPieces } from '../chapter-pieces.ts';
import type { DocumentFile } from '../document-file.ts';
import { type Entry, headingsOf, spacedAs } from '../epub/contents.ts';
import { displayOfSheets } from '../epub/style-sheets.ts';
import { htmlBook, titleOfFile } from '../formats/html-book.ts';
import { textToHtml } from '../formats/text-layout.ts';
import { spokenChapters } from '../heading-chapters.ts';
import { type Display, htmlSegments } from '../html-segments.ts';
import { countLeftOut } from '../left-out.ts';
import { readIndex } from './index-records.ts';
import { readKf8 } from './kf8.ts';
import { type MobiHeader, readHeader } from './mobi-header.ts';
import { openPalmDatabase, type PalmDatabase, textOf } from './palm-database.ts';
import { type MobiText, withLinks } from './places.ts';

/** @throws SvcError INVALID_REQUEST, also for a book with DRM */
export async function readMobi({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const refuse = (problem: string): SvcError => requestError(`${path}: ${problem}`);
  const database = openPalmDatabase(bytes);
  const header = readHeader(database);
  if (header === undefined) throw refuse('the Mobipocket book is damaged: it has no header');
  if (header.isEncrypted) throw refuse('the book is protected by DRM and cannot be read');
  const text = textOf(database, header.text);
  const { details, encoding } = header;
  const about = { ...details, title: details.title ?? titleOfFile(path), cover: coverOf(database, header) };
  // A book of PalmDOC is plain text.
  if (!header.isMobi) return htmlBook(textToHtml(decodeBytes(text, encoding)), path, options, about);
  const { html, sheets, contents } =
    header.version >= 8 ? readKf8(database, header, text) : readMobi6(database, header, text);
  if (contents.length === 0) return htmlBook(html, path, options, about);
  return cutBook(html, contents, about, options, sheets.length === 0 ? undefined : await displayOfSheets(sheets));
}

/** Places are offsets in the bytes of the text. */
function readMobi6(database: PalmDatabase, header: MobiHeader, text: Buffer): MobiText {
  const { marked, contents } = withLinks(text.toString('latin1'), readIndex(database, header, header.ncx), {
    offsetOfEntry: (values) => values.get(1)?.[0],
    reference: /\bfilepos\s{0,9}=\s{0,9}["']?(\d{1,10})["']?/gi,
    offsetOf: Number,
    linkTo: (id) => `href="#${id}"`,
  });
  return { html: decodeBytes(Buffer.from(marked, 'latin1'), header.encoding), sheets: [], contents };
}

function cutBook(
  html: string,
  contents: readonly Entry[],
  about: BookDetails & Pick<Book, 'title'>,
  options: ReadBookOptions,
  display: Display | undefined,
): Book {
  const leftOut = countLeftOut(options.keep);
  const spaced = spacedAs(headingsOf(html, display));
  const byId = new Map(contents.map((entry) => [entry.id, { ...entry, title: spaced(entry.title) }]));
  const segments = htmlSegments(html, { anchors: new Set(byId.keys()), leftOut, display });
  const joined = joinPieces(cutAtEntries(segments, byId), options.chapterDepth);
  const { chapters, warnings } = spokenChapters(joined, about.title, leftOut);
  return bookOf(about, chapters, leftOut, warnings);
}

function coverOf({ record }: PalmDatabase, { firstPicture, cover }: MobiHeader): Cover | undefined {
  if (cover === undefined || firstPicture === undefined) return undefined;
  const bytes = record(firstPicture + cover);
  const start = bytes.toString('latin1', 0, 4);
  const mimeType = start.startsWith('\xff\xd8\xff') ? 'image/jpeg' : start === '\x89PNG' ? 'image/png' : undefined;
  return mimeType === undefined ? undefined : { bytes: Buffer.from(bytes), mimeType };
}
