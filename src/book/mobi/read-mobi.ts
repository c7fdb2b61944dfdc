/** Mobipocket books, and Kindle's (.mobi, .azw, .azw3) without DRM. */

import { type Segment, structurePauses } from '../../engine/script/passage.ts';
import { SvcError } from '../../errors.ts';
import { decodeBytes } from '../../files/decode-bytes.ts';
import { sanitizeLine } from '../../messages.ts';
import type { Book, Cover, ReadBookOptions } from '../book.ts';
import { joinPieces, type Piece } from '../chapter-pieces.ts';
import type { DocumentFile } from '../document-file.ts';
import { headingsOf, spacedAs } from '../epub/contents.ts';
import { displayOfSheets } from '../epub/style-sheets.ts';
import { htmlBook, titleOfFile } from '../formats/html-book.ts';
import { textToHtml } from '../formats/text-layout.ts';
import { type Display, htmlSegments } from '../html-segments.ts';
import { countLeftOut, silentFormulas } from '../left-out.ts';
import { leaveByTitle } from '../matter.ts';
import { readIndex } from './index-records.ts';
import { readKf8 } from './kf8.ts';
import { type MobiHeader, readHeader } from './mobi-header.ts';
import type { ContentsEntry, MobiText } from './mobi-text.ts';
import { openPalmDatabase, type PalmDatabase, textOf } from './palm-database.ts';
import { type Place, withAnchors } from './places.ts';

/** @throws SvcError INVALID_REQUEST, also for a book with DRM */
export async function readMobi({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const refuse = (problem: string): SvcError => new SvcError('INVALID_REQUEST', `${path}: ${problem}`);
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
function readMobi6({ record }: PalmDatabase, { text: { first }, ncx, encoding }: MobiHeader, text: Buffer): MobiText {
  const places: Place[] = [];
  const contents: ContentsEntry[] = [];
  if (ncx !== undefined) {
    const table = readIndex((index) => record(index), first + ncx, encoding);
    for (const { values } of table.entries) {
      const [offset] = values.get(1) ?? [];
      const title = sanitizeLine(table.text(values.get(3)?.[0]));
      if (offset === undefined || title === '') continue;
      contents.push({ title, id: `toc${offset}`, depth: (values.get(4)?.[0] ?? 0) + 1 });
      places.push({ offset, id: `toc${offset}` });
    }
  }
  const source = text.toString('latin1');
  const linked = new Set(
    [...source.matchAll(/\bfilepos\s{0,9}=\s{0,9}["']?(\d{1,10})/gi)].map(([, offset]) => Number(offset)),
  );
  for (const offset of linked) places.push({ offset, id: `pos${offset}` });
  const marked = withAnchors(source, places).replace(
    /\bfilepos\s{0,9}=\s{0,9}["']?(\d{1,10})["']?/gi,
    (_, offset: string) => `href="#pos${Number(offset)}"`,
  );
  return { html: decodeBytes(Buffer.from(marked, 'latin1'), encoding), sheets: [], contents };
}

function cutBook(
  html: string,
  contents: readonly ContentsEntry[],
  about: Partial<Book> & Pick<Book, 'title'>,
  options: ReadBookOptions,
  display: Display | undefined,
): Book {
  const leftOut = countLeftOut(options.keep);
  const byId = new Map(contents.map((entry) => [entry.id, entry]));
  const spaced = spacedAs(headingsOf(html, display));
  const pieces: Piece[] = [{ title: undefined, depth: 0, segments: [] }];
  for (const segment of htmlSegments(html, { anchors: new Set(byId.keys()), leftOut, display })) {
    const entry = segment.kind === 'mark' ? byId.get(segment.name) : undefined;
    if (entry !== undefined) pieces.push({ title: spaced(entry.title), depth: entry.depth, segments: [] });
    else pieces.at(-1)?.segments.push(segment);
  }
  const warnings: string[] = [];
  const chapters = joinPieces(pieces, options.chapterDepth).flatMap(({ title = about.title, segments }) => {
    const warning = leaveByTitle(title, leftOut);
    if (warning !== undefined) warnings.push(warning);
    if (warning !== undefined || !segments.some((one) => one.kind === 'text' && one.text.trim() !== '')) return [];
    const end: Segment = { kind: 'pause', seconds: structurePauses.paragraph, from: 'structure' };
    return [{ title, segments: [...segments, end] }];
  });
  return {
    author: undefined,
    language: undefined,
    cover: undefined,
    ...about,
    chapters,
    leftOut: leftOut.counts,
    firstLeftOut: leftOut.first,
    warnings: [...warnings, ...silentFormulas(leftOut.counts)],
  };
}

function coverOf({ record }: PalmDatabase, { firstPicture, cover }: MobiHeader): Cover | undefined {
  if (cover === undefined || firstPicture === undefined) return undefined;
  const bytes = record(firstPicture + cover);
  const start = bytes.toString('latin1', 0, 4);
  const mimeType = start.startsWith('\xff\xd8\xff') ? 'image/jpeg' : start === '\x89PNG' ? 'image/png' : undefined;
  return mimeType === undefined ? undefined : { bytes: Buffer.from(bytes), mimeType };
}
